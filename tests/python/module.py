"""What torch/nn/modules/module.py of PyTorch 2 has of Module, as far as calls and names of modules go."""


class Module:
    def __init__(self):
        super().__setattr__("training", True)
        super().__setattr__("_parameters", {})
        super().__setattr__("_buffers", {})
        super().__setattr__("_forward_hooks", {})
        super().__setattr__("_modules", {})

    def _wrapped_call_impl(self, *args, **kwargs):
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args, **kwargs):
        def inner():  # makes self a cell
            return self._forward_hooks

        result = self.forward(*args, **kwargs)
        inner()
        return result

    __call__ = _wrapped_call_impl

    def add_module(self, name, module):
        assert not hasattr(self, name)
        self._modules[name] = module

    def __getattr__(self, name):
        if name in self.__dict__["_modules"]:
            return self.__dict__["_modules"][name]
        raise AttributeError(name)

    def __setattr__(self, name, value):
        modules = self.__dict__.get("_modules")
        if isinstance(value, Module):
            modules[name] = value
        else:
            super().__setattr__(name, value)


class OldModule(Module):
    def _call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    __call__ = _call_impl
