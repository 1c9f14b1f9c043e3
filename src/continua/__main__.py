"""`python -m continua`: the command line."""

from continua.cli.main import main

if __name__ == "__main__":
    main()
