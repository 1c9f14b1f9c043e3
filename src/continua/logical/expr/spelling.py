"""How values are written as text, and which texts are values: Spark's rules, without a clock.

The patterns are read by Python and by Java alike, so that both engines take the same texts.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal

from continua.model.values import WIDE, single

BLANKS = "".join(map(chr, range(0x21)))
"""What may stand around a number: blanks, and the other control characters of ASCII."""
BLANKS_AND_DELETE = BLANKS + "\x7f"
"""What may stand around everything else."""

_AROUND = r"[\x00-\x20\x7f]*"
_DAY = r"(?!0000)([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})"
_ZONE = r" *(Z|UTC|[+-][0-9]{1,2}(?::[0-9]{2})?|[+-][0-9]{4})"
_CLOCK = rf"[ T]([0-9]{{1,2}})(?::([0-9]{{1,2}})(?::([0-9]{{1,2}})(?:\.([0-9]*))?(?:{_ZONE})?)?)?"

DATE_PATTERN = rf"{_AROUND}{_DAY}(?:[ T][\s\S]*)?)?)?{_AROUND}"
"""A year, a month, a day; after a blank or T comes what is no matter."""
TIMESTAMP_PATTERN = rf"{_AROUND}{_DAY}(?:{_CLOCK})?)?)?{_AROUND}"
"""No bare time, which would be of today; no names of zones, which not all machines know alike."""
DECIMAL_PATTERN = (
    r"[\x00-\x20]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?[\x00-\x20]*"
)

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(DECIMAL_PATTERN)
_DATE = re.compile(DATE_PATTERN)
_TIMESTAMP = re.compile(TIMESTAMP_PATTERN)
_DIGITS = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_HEX = r"0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+"
_DOUBLE = re.compile(rf"([+-]?(?:NaN|Infinity))|([+-]?{_DIGITS})[fFdD]?|([+-]?{_HEX})[fFdD]?")
_SPECIAL = re.compile(r"[+-]?inf(?:inity)?|nan")
_BOOLEANS = {
    **dict.fromkeys(("t", "true", "y", "yes", "1"), True),
    **dict.fromkeys(("f", "false", "n", "no", "0"), False),
}


def read_integer(text: str) -> int | None:
    stripped = text.strip(BLANKS_AND_DELETE)
    return int(stripped) if _INTEGER.fullmatch(stripped) else None


def read_double(text: str) -> float | None:
    """As Java reads doubles: 1.5, 1e3, 1f, 0x1p3; the words for what is no number in any case."""
    stripped = text.strip(BLANKS)
    found = _DOUBLE.fullmatch(stripped)
    if found is None:
        return float(stripped) if _SPECIAL.fullmatch(stripped.lower()) else None
    word, number, hexadecimal = found.groups()
    if hexadecimal is None:
        return float(word or number)
    try:
        return float.fromhex(hexadecimal)
    except OverflowError:
        return -math.inf if hexadecimal.startswith("-") else math.inf


def read_decimal(text: str) -> Decimal | None:
    return Decimal(text.strip(BLANKS)) if _DECIMAL.fullmatch(text) else None


def read_boolean(text: str) -> bool | None:
    return _BOOLEANS.get(text.strip(BLANKS_AND_DELETE).lower())


def read_date(text: str) -> date | None:
    """Raises ValueError for a day that no calendar has."""
    found = _DATE.fullmatch(text)
    return None if found is None else date(*(int(part or 1) for part in found.groups()))


def read_timestamp(text: str) -> datetime | None:
    """Raises ValueError or OverflowError for a time that there is not."""
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        return None
    *parts, fraction, zone = found.groups()
    year, month, day = (int(part or 1) for part in parts[:3])
    hour, minute, second = (int(part or 0) for part in parts[3:])
    micros = int((fraction or "")[:6].ljust(6, "0"))
    return datetime(year, month, day, hour, minute, second, micros) - _offset(zone)


def _offset(zone: str | None) -> timedelta:
    if zone is None or zone.isalpha():
        return timedelta(0)
    hours, _, minutes = zone[1:].partition(":")
    if len(hours) == 4:
        hours, minutes = hours[:2], hours[2:]
    length = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if int(minutes or 0) > 59 or length > timedelta(hours=18):
        raise ValueError(zone)
    return -length if zone[0] == "-" else length


def double_text(value: float) -> str:
    """As Java writes a double: the fewest digits that tell it from all others, but two at least."""
    if not math.isfinite(value):
        return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")
    shortest = Decimal(repr(value))
    few = len(shortest.normalize().as_tuple().digits) == 1
    return _scientific(Decimal(f"{value:.1e}") if few else shortest)


def float_text(value: float) -> str:
    """As Java writes a float: the fewest digits that tell it from all others of 32 bits."""
    if not math.isfinite(value) or value == 0:
        return double_text(value)
    exact = Decimal(value)
    for digits in range(2, 10):
        # Beside a power of two the nearest may be of the next float, and the second nearest not.
        near = (Context(digits, way).create_decimal(exact) for way in (ROUND_DOWN, ROUND_UP))
        found = [short for short in near if single(float(short)) == value]
        if found:
            break

    def distance(short: Decimal) -> tuple[Decimal, int]:
        return WIDE.subtract(short, exact).copy_abs(), short.as_tuple().digits[-1] % 2

    return _scientific(min(found, key=distance))


def _scientific(number: Decimal) -> str:
    """With a point alone from a thousandth to ten millions, else with an exponent."""
    sign = "-" if number < 0 else ""
    size, digits = number.adjusted(), "".join(map(str, number.as_tuple().digits)).rstrip("0")
    if -3 <= size < 7:
        padded = "0" * -size + digits.ljust(size + 1, "0")
        whole = max(size, 0) + 1
        return f"{sign}{padded[:whole]}.{padded[whole:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{size}"


def timestamp_text(value: datetime) -> str:
    text = value.isoformat(sep=" ")
    return text.rstrip("0") if value.microsecond else text


def interval_text(value: timedelta) -> str:
    """As Spark writes an interval: `INTERVAL '1 02:03:04.5' DAY TO SECOND`."""
    sign, length = ("-", -value) if value < timedelta(0) else ("", value)
    minutes, seconds = divmod(length.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{length.microseconds:06d}".rstrip("0").rstrip(".")
    clock = f"{hours:02d}:{minutes:02d}:{seconds:02d}{fraction}"
    return f"INTERVAL '{sign}{length.days} {clock}' DAY TO SECOND"
