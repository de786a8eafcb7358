// The SDK's TestDriver for Python: the plugin is an extension module too, `_orbweaver`, which
// orbweaver/testing.py loads. So a strategy is tested by the rules that the worker decides by.
#include <map>
#include <memory>
#include <new>
#include <orbweaver/test_driver.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "interpreter.h"
#include "values.h"

extern "C" const orbweaver_strategy* orbweaver_strategy_v1(void);

namespace orbweaver::python {
namespace {

using sdk::TestDriver;

struct DriverObject {
  PyObject ob_base;
  std::unique_ptr<TestDriver> driver;
};

TestDriver& DriverOf(PyObject* self) { return *reinterpret_cast<DriverObject*>(self)->driver; }

// The result of `function`, an owned object; what it throws becomes Python's RuntimeError.
template <typename Function>
PyObject* Guarded(Function function) {
  try {
    return function();
  } catch (const std::exception& exception) {
    if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_RuntimeError, exception.what());
  }
  return nullptr;
}

TestDriver::Params ReadParams(PyObject* dict) {
  TestDriver::Params params;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value) != 0;) {
    params[TextOf(key)] = TextOf(value);
  }
  return params;
}

// The description of the class that `params` name.
const orbweaver_strategy* Describe(const TestDriver::Params& params) {
  std::vector<orbweaver_setting> settings;
  for (const auto& [name, value] : params) {
    settings.push_back({{name.data(), name.size()}, {value.data(), value.size()}});
  }
  orbweaver_choice choice{};
  choice.struct_size = sizeof(choice);
  choice.settings_view = settings.data();
  choice.setting_count = settings.size();
  std::array<char, 1024> message{};
  orbweaver_error error{message.data(), message.size(), 0};
  const orbweaver_strategy* const strategy = orbweaver_strategy_v1()->describe(&choice, &error);
  if (strategy == nullptr) throw std::runtime_error(std::string(message.data(), error.size));
  return strategy;
}

// Driver(params, seed)
PyObject* NewDriver(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* dict = nullptr;
  unsigned long long seed = 0;
  if (PyArg_ParseTuple(args, "O!K", &PyDict_Type, &dict, &seed) == 0) return nullptr;
  return Guarded([&]() -> PyObject* {
    const TestDriver::Params params = ReadParams(dict);
    auto driver = std::make_unique<TestDriver>(Describe(params), params, seed);
    PyObject* const object = type->tp_alloc(type, 0);
    if (object == nullptr) return nullptr;
    new (&reinterpret_cast<DriverObject*>(object)->driver)
        std::unique_ptr<TestDriver>(std::move(driver));
    return object;
  });
}

void DropDriver(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  reinterpret_cast<DriverObject*>(self)->driver.~unique_ptr();
  type->tp_free(self);
  Py_DECREF(type);
}

// swap(params, seed)
PyObject* Swap(PyObject* self, PyObject* args) {
  PyObject* dict = nullptr;
  unsigned long long seed = 0;
  if (PyArg_ParseTuple(args, "O!K", &PyDict_Type, &dict, &seed) == 0) return nullptr;
  return Guarded([&] {
    const TestDriver::Params params = ReadParams(dict);
    DriverOf(self).Swap(Describe(params), params, seed);
    return Py_NewRef(Py_None);
  });
}

// (url, anchor, kind, score) each; the score is NaN where there is none.
std::vector<sdk::TestLink> ReadLinks(PyObject* list) {
  std::vector<sdk::TestLink> links;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    const char *url = nullptr, *anchor = nullptr;
    unsigned kind = 0;
    float score = 0;
    if (PyArg_ParseTuple(PyList_GET_ITEM(list, i), "ssIf", &url, &anchor, &kind, &score) == 0) {
      throw TakeError();
    }
    sdk::TestLink& link = links.emplace_back(std::string(url), std::string(anchor));
    link.kind = static_cast<sdk::LinkKind>(kind);
    link.score = score;
  }
  return links;
}

PyObject* GiveSeeds(PyObject* self, PyObject* list) {
  return Guarded([&] {
    const std::vector<sdk::TestLink> seeds = ReadLinks(list);
    if (!seeds.empty()) DriverOf(self).Seeds(seeds);
    return Py_NewRef(Py_None);
  });
}

// links(source, list)
PyObject* GiveLinks(PyObject* self, PyObject* args) {
  const char* source = nullptr;
  PyObject* list = nullptr;
  if (PyArg_ParseTuple(args, "sO!", &source, &PyList_Type, &list) == 0) return nullptr;
  return Guarded([&] {
    DriverOf(self).Links(source, ReadLinks(list));
    return Py_NewRef(Py_None);
  });
}

// page(url, title, body, language, content_type, content_hash, not_modified)
PyObject* GivePage(PyObject* self, PyObject* args) {
  const char *url = nullptr, *title = nullptr, *language = nullptr, *content_type = nullptr;
  const char* body = nullptr;
  Py_ssize_t body_size = 0;
  unsigned long long content_hash = 0;
  int not_modified = 0;
  if (PyArg_ParseTuple(args, "ssy#ssKp", &url, &title, &body, &body_size, &language, &content_type,
                       &content_hash, &not_modified) == 0) {
    return nullptr;
  }
  return Guarded([&] {
    sdk::TestPage page;
    page.title = title;
    page.body.assign(body, static_cast<size_t>(body_size));
    page.language = language;
    page.content_type = content_type;
    page.content_hash = content_hash;
    page.not_modified = not_modified != 0;
    DriverOf(self).Page(url, page);
    return Py_NewRef(Py_None);
  });
}

// fail(url, cause, transient, http_status, retry_after_ms)
PyObject* GiveFailure(PyObject* self, PyObject* args) {
  const char* url = nullptr;
  unsigned cause = 0, http_status = 0;
  int transient = 0;
  long long retry_after_ms = 0;
  if (PyArg_ParseTuple(args, "sIpIL", &url, &cause, &transient, &http_status, &retry_after_ms) ==
      0) {
    return nullptr;
  }
  return Guarded([&] {
    DriverOf(self).Fail(url, {.cause = static_cast<sdk::Cause>(cause),
                              .transient = transient != 0,
                              .http_status = http_status,
                              .retry_after_ms = retry_after_ms});
    return Py_NewRef(Py_None);
  });
}

// host(name, sitemaps, robots, dns)
PyObject* GiveHost(PyObject* self, PyObject* args) {
  const char* name = nullptr;
  PyObject* list = nullptr;
  unsigned robots = 0, dns = 0;
  if (PyArg_ParseTuple(args, "sO!II", &name, &PyList_Type, &list, &robots, &dns) == 0) {
    return nullptr;
  }
  return Guarded([&] {
    sdk::TestHost host{.robots = static_cast<sdk::Robots>(robots),
                       .dns = static_cast<sdk::Dns>(dns)};
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
      host.sitemaps.push_back(TextOf(PyList_GET_ITEM(list, i)));
    }
    DriverOf(self).Host(name, host);
    return Py_NewRef(Py_None);
  });
}

// ---- what there is ----

PyObject* RequestTuple(const sdk::TestRequest& request) {
  return Py_BuildValue("(sfLII)", request.url.c_str(), static_cast<double>(request.score),
                       static_cast<long long>(request.not_before_ms), request.depth,
                       request.attempt);
}

PyObject* NextRequest(PyObject* self, PyObject*) {
  const auto request = DriverOf(self).Next();
  return request.has_value() ? RequestTuple(*request) : Py_NewRef(Py_None);
}

PyObject* Queue(PyObject* self, PyObject*) {
  Owned list(PyList_New(0));
  for (const sdk::TestRequest& request : DriverOf(self).queue()) {
    const Owned tuple(RequestTuple(request));
    if (list == nullptr || tuple == nullptr || PyList_Append(list.get(), tuple.get()) != 0) {
      return nullptr;
    }
  }
  return list.release();
}

PyObject* State(PyObject* self, PyObject* url) {
  return Guarded([&]() -> PyObject* {
    const orbweaver_state* const state = DriverOf(self).State(TextOf(url));
    if (state == nullptr) return Py_NewRef(Py_None);
    return Py_BuildValue(
        "(IIIIIy#L)", unsigned{state->status}, state->depth, state->fetches, state->errors,
        unsigned{state->http_status}, reinterpret_cast<const char*>(state->data),
        static_cast<Py_ssize_t>(sizeof(state->data)), static_cast<long long>(state->due_at_ms));
  });
}

PyObject* DomainTuple(PyObject* self, PyObject* name) {
  return Guarded([&]() -> PyObject* {
    const sdk::TestDomain& domain = DriverOf(self).Domain(TextOf(name));
    return Py_BuildValue(
        "(KKKKy#OOL)", static_cast<unsigned long long>(domain.fetched),
        static_cast<unsigned long long>(domain.scheduled),
        static_cast<unsigned long long>(domain.failed),
        static_cast<unsigned long long>(domain.known_urls), domain.data.data(),
        static_cast<Py_ssize_t>(domain.data.size()), domain.given_up ? Py_True : Py_False,
        domain.backed_off ? Py_True : Py_False, static_cast<long long>(domain.blocked_until_ms));
  });
}

PyObject* Finished(PyObject* self, PyObject*) {
  return Guarded([&] { return ToPython(DriverOf(self).Finished()); });
}
PyObject* Warning(PyObject* self, PyObject*) {
  return ToPython(std::string_view(DriverOf(self).warning()));
}
PyObject* StatesRead(PyObject* self, PyObject*) { return ToPython(DriverOf(self).states_read()); }
PyObject* NowMs(PyObject* self, PyObject*) { return ToPython(DriverOf(self).now_ms()); }
PyObject* SetTime(PyObject* self, PyObject* value) {
  const long long now_ms = PyLong_AsLongLong(value);
  if (now_ms == -1 && PyErr_Occurred() != nullptr) return nullptr;
  DriverOf(self).SetTime(now_ms);
  Py_RETURN_NONE;
}

PyMethodDef driver_methods[] = {
    {"swap", Swap, METH_VARARGS, nullptr},
    {"seeds", GiveSeeds, METH_O, nullptr},
    {"links", GiveLinks, METH_VARARGS, nullptr},
    {"page", GivePage, METH_VARARGS, nullptr},
    {"fail", GiveFailure, METH_VARARGS, nullptr},
    {"host", GiveHost, METH_VARARGS, nullptr},
    {"next", NextRequest, METH_NOARGS, nullptr},
    {"queue", Queue, METH_NOARGS, nullptr},
    {"state", State, METH_O, nullptr},
    {"domain", DomainTuple, METH_O, nullptr},
    {"finished", Finished, METH_NOARGS, nullptr},
    {"warning", Warning, METH_NOARGS, nullptr},
    {"states_read", StatesRead, METH_NOARGS, nullptr},
    {"now_ms", NowMs, METH_NOARGS, nullptr},
    {"set_time", SetTime, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module_definition = {.m_base = PyModuleDef_HEAD_INIT,
                                 .m_name = "_orbweaver",
                                 .m_doc = "The SDK's TestDriver; used through orbweaver.testing",
                                 .m_size = -1};

}  // namespace
}  // namespace orbweaver::python

PyMODINIT_FUNC PyInit__orbweaver(void) {
  using orbweaver::python::Owned;
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(orbweaver::python::NewDriver)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(orbweaver::python::DropDriver)},
                         {Py_tp_methods, orbweaver::python::driver_methods},
                         {0, nullptr}};
  PyType_Spec spec{.name = "_orbweaver.Driver",
                   .basicsize = sizeof(orbweaver::python::DriverObject),
                   .itemsize = 0,
                   .flags = Py_TPFLAGS_DEFAULT,
                   .slots = slots};
  Owned module(PyModule_Create(&orbweaver::python::module_definition));
  const Owned type(module == nullptr ? nullptr : PyType_FromSpec(&spec));
  if (type == nullptr || PyModule_AddObjectRef(module.get(), "Driver", type.get()) != 0) {
    return nullptr;
  }
  return module.release();
}
