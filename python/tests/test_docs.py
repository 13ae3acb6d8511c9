"""Every example in a docstring does what it says; every name of the module has a docstring."""

import doctest
import importlib
import inspect
import pkgutil

import flitwise
import pytest

MODULES = [module.name for module in pkgutil.iter_modules(flitwise.__path__) if module.name not in ("__main__", "_native")]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples(name):
    module = importlib.import_module(f"flitwise.{name}" if name else "flitwise")
    failed, _ = doctest.testmod(module, extraglobs={"fw": flitwise})
    assert failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    functions = [flitwise.run, flitwise.sweep, flitwise.schedule, flitwise.check, flitwise.simulate, flitwise.fit]
    for function in [*functions, flitwise.forecast, flitwise.to_toml]:
        assert any(test.examples for test in finder.find(function, function.__name__)), function.__name__


def test_all_that_is_public_has_a_docstring():
    for name in flitwise.__all__:
        value = getattr(flitwise, name)
        if inspect.isclass(value):
            members = [member for key, member in vars(value).items() if not key.startswith("_")]
        else:
            members = []
        for member in [value, *members]:
            function = getattr(member, "fget", None) or getattr(member, "func", None) or member
            if callable(function) or inspect.isclass(function):
                assert inspect.getdoc(function), f"{name}: {member!r}"
