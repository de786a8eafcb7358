// The one Python interpreter of the process, and what every use of it needs.
#pragma once

// Python.h wants to be the first.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace orbweaver::python {

struct Release {
  void operator()(PyObject* object) const { Py_DECREF(object); }
};
// A reference that is given back; only while Python is held.
using Owned = std::unique_ptr<PyObject, Release>;

// A Python exception, as the words that orbweaver.strategy_host.failure_text finds for it.
class PythonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Holds Python's lock, on any thread. The first one starts the interpreter, which runs until the
// process ends; throws PythonError when it cannot be started or finds no package orbweaver.
class Hold {
 public:
  Hold();
  ~Hold() { PyGILState_Release(state_); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  PyGILState_STATE state_;
};

// Takes the exception that is set in Python out of it.
PythonError TakeError();
// `object`, unless it is null: then an exception is set, which is thrown.
Owned Checked(PyObject* object);

// A member of the module orbweaver.strategy, or of orbweaver.strategy_host; both throw.
Owned FromSdk(const char* name);
Owned FromHost(const char* name);

// UTF-8; throws when `object` is no text.
std::string TextOf(PyObject* object);
Owned Text(std::string_view text);

}  // namespace orbweaver::python
