"""All that leans on the insides of Spark: a file for each thing, tried with Spark 4.3.

Nothing else in the project uses private attributes of PySpark, py4j, files that Spark writes for
itself, or the texts of its errors. Each file says what it relies on, and why no public way serves.
`tests/spark/test_spark_internals.py` tries it all: run that first with a new version of Spark.
"""
