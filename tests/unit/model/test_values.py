"""Values in their normal form."""

from decimal import Decimal

from continua.model.types import Type
from continua.model.values import fit_decimal


def test_a_decimal_of_all_digits_fits() -> None:
    """Python rounds to 28 digits where nothing else is said."""
    type_ = Type("DECIMAL", 38, 10)
    greatest = Decimal("9" * 28 + "." + "9" * 10)
    assert fit_decimal(greatest, type_) == greatest
    assert fit_decimal(greatest.copy_negate(), type_) == greatest.copy_negate()
    assert fit_decimal(Decimal("9" * 28 + "." + "9" * 10 + "5"), type_) is None
    assert fit_decimal(Decimal(10) ** 28, type_) is None
