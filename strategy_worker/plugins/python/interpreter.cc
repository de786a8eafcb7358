#include "interpreter.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <utility>

#include "event_types.h"

namespace orbweaver::python {
namespace {

namespace fs = std::filesystem;

// The package stands beside the folder of the strategies: lib/orbweaver/python.
std::string PackageFolder() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&PackageFolder), &own) == 0) return {};
  std::error_code error;
  return fs::weakly_canonical(fs::path(own.dli_fname).parent_path().parent_path() / "python", error)
      .string();
}

// Extension modules take Python's functions from whoever shows them, and a strategy's library shows
// nothing to anybody: the interpreter's library is opened once more, for all.
void ShowToExtensions() {
  Dl_info python{};
  if (dladdr(reinterpret_cast<void*>(&Py_IsInitialized), &python) != 0) {
    dlopen(python.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  }
}

// A virtual environment that is active has the modules that a strategy wants; one of another
// version of Python has not.
std::string Program() {
  const char* const environment = std::getenv("VIRTUAL_ENV");
  if (environment != nullptr) {
    const fs::path folder = environment;
    std::error_code error;
    if (fs::exists(folder / "lib" / ORBWEAVER_PYTHON, error)) return folder / "bin" / "python3";
  }
  return ORBWEAVER_PYTHON_PROGRAM;
}

void Initialize() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.parse_argv = 0;
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, Program().c_str());
  if (PyStatus_Exception(status) == 0) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0) {
    throw PythonError(std::string("Python cannot be started: ") +
                      (status.err_msg == nullptr ? "it does not say why" : status.err_msg));
  }
}

void AddPackage() {
  PyObject* const path = PySys_GetObject("path");  // not owned
  const Owned folder = Checked(Text(PackageFolder()).release());
  if (path == nullptr || PyList_Insert(path, 0, folder.get()) != 0) throw TakeError();
}

void StartInterpreter() {
  ShowToExtensions();
  Initialize();
  try {
    AddPackage();
    MakeEventTypes();
  } catch (...) {
    PyEval_SaveThread();
    throw;
  }
  PyEval_SaveThread();
}

// In a program that is Python itself (test_driver.cc) only the types are missing.
void Start() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (Py_IsInitialized() == 0) {
      StartInterpreter();
    } else {
      MakeEventTypes();
    }
  });
}

// Not Checked: TakeError asks this one, and must not be asked by it in turn.
Owned MemberOf(const char* module_name, const char* name) {
  const Owned module(PyImport_ImportModule(module_name));
  Owned member(module == nullptr ? nullptr : PyObject_GetAttrString(module.get(), name));
  if (member != nullptr) return member;
  PyErr_Clear();
  throw PythonError(std::string("its part in Python, ") + module_name + " with '" + name +
                    "', is not in " + PackageFolder());
}

}  // namespace

Hold::Hold() : state_((Start(), PyGILState_Ensure())) {}

PythonError TakeError() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  if (type == nullptr) return PythonError("it fails without an exception");
  PyErr_NormalizeException(&type, &value, &trace);
  const Owned owned_type(type), owned_value(value), owned_trace(trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  try {
    const Owned words = FromHost("failure_text");
    return PythonError(TextOf(Checked(PyObject_CallOneArg(words.get(), value)).get()));
  } catch (const PythonError&) {
    // It cannot be told by Python's own words: a module that is missing, or an exception that fails
    // to print itself.
  }
  const Owned text(PyObject_Str(value));
  if (text != nullptr && PyUnicode_Check(text.get())) {
    const char* const utf8 = PyUnicode_AsUTF8(text.get());
    if (utf8 != nullptr) return PythonError(utf8);
  }
  PyErr_Clear();
  return PythonError(reinterpret_cast<PyTypeObject*>(type)->tp_name);
}

Owned Checked(PyObject* object) {
  if (object == nullptr) throw TakeError();
  return Owned(object);
}

Owned FromSdk(const char* name) { return MemberOf("orbweaver.strategy", name); }
Owned FromHost(const char* name) { return MemberOf("orbweaver.strategy_host", name); }

std::string TextOf(PyObject* object) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(object, &size);
  if (data == nullptr) throw TakeError();
  return {data, static_cast<size_t>(size)};
}

Owned Text(std::string_view text) {
  return Owned(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace orbweaver::python
