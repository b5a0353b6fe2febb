"""tengen: Go for the computer you have. Import the parts from where they live: ``tengen.go``, ``tengen.search`` .."""

__version__ = "0.1.0"
__all__ = ["__version__"]
