// The strategy `python`: a class in Python behind the C interface of strategies.
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <orbweaver/strategy.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event_types.h"
#include "interpreter.h"

namespace orbweaver::python {
namespace {

using sdk::internal::Guarded;
using Settings = std::map<std::string, std::string>;

// By the event's kind.
constexpr std::array<const char*, 6> kHandlers = {nullptr,    "on_seeds",   "on_page",
                                                  "on_links", "on_failure", "on_host"};

// A strategy's object, and its methods: null where the class leaves them as they are.
struct Made {
  Owned object;
  std::array<Owned, kHandlers.size()> handlers;
  Owned filter, adopt, finished;
};

// A strategy in Python. Its members are let go while Python is held.
struct Instance {
  Made made;
  // Of `made`, and of the next one after a reload.
  Owned settings, seed;
  sdk::internal::Kept kept;
  std::string adopted;
};

orbweaver_text View(std::string_view text) { return {text.data(), text.size()}; }

Settings Read(const orbweaver_setting* settings, size_t count) {
  Settings read;
  for (size_t i = 0; i < count; ++i) {
    read[std::string(sdk::internal::View(settings[i].name_view))] =
        sdk::internal::View(settings[i].value_view);
  }
  return read;
}

// The class that the parameters `module` and `class` name. A module is imported once.
Owned LoadClass(Settings& settings) {
  const Owned module = Checked(Text(settings["module"]).release());
  const Owned name = Checked(Text(settings["class"]).release());
  return Checked(
      PyObject_CallFunctionObjArgs(FromHost("load").get(), module.get(), name.get(), nullptr));
}

// ---- the functions of strategy_abi.h ----

Owned HandlerOf(PyObject* made, const char* name) {
  const Owned text = Checked(Text(name).release());
  Owned handler = Checked(
      PyObject_CallFunctionObjArgs(FromHost("handler_of").get(), made, text.get(), nullptr));
  if (handler.get() == Py_None) handler.reset();
  return handler;
}

Made WithHandlers(Owned object) {
  Made made;
  for (size_t kind = 1; kind < kHandlers.size(); ++kind) {
    made.handlers[kind] = HandlerOf(object.get(), kHandlers[kind]);
  }
  made.filter = HandlerOf(object.get(), "filter");
  made.adopt = HandlerOf(object.get(), "adopt");
  made.finished = HandlerOf(object.get(), "finished");
  made.object = std::move(object);
  return made;
}

Owned DictOf(const Settings& settings) {
  Owned dict = Checked(PyDict_New());
  for (const auto& [name, value] : settings) {
    const Owned text = Checked(Text(value).release());
    if (PyDict_SetItemString(dict.get(), name.c_str(), text.get()) != 0) throw TakeError();
  }
  return dict;
}

int Create(const orbweaver_setting* settings_view, size_t count, uint64_t seed, void** self,
           orbweaver_error* error) {
  return Guarded(error, [&] {
    Settings settings = Read(settings_view, count);
    if (settings["module"].empty()) {
      throw std::invalid_argument(
          "no module is named. Set strategy.params.module to a file, ./NAME.py");
    }
    const Hold hold;
    const Owned strategy = LoadClass(settings);
    auto instance = std::make_unique<Instance>();
    instance->settings = DictOf(settings);
    instance->seed = Checked(PyLong_FromUnsignedLongLong(seed));
    instance->made = WithHandlers(Checked(
        PyObject_CallFunctionObjArgs(FromHost("make").get(), strategy.get(),
                                     instance->settings.get(), instance->seed.get(), nullptr)));
    *self = instance.release();
  });
}

int Reload(void* self, orbweaver_error* error) {
  return Guarded(error, [&] {
    auto& instance = *static_cast<Instance*>(self);
    const Hold hold;
    auto* const before = reinterpret_cast<PyObject*>(Py_TYPE(instance.made.object.get()));
    Made made = WithHandlers(Checked(PyObject_CallFunctionObjArgs(
        FromHost("reload").get(), before, instance.settings.get(), instance.seed.get(), nullptr)));
    std::swap(made, instance.made);
    const Owned closed(PyObject_CallMethod(made.object.get(), "close", nullptr));
    // The new one runs already: Python tells of this exception as it does of those in __del__.
    if (closed == nullptr) PyErr_WriteUnraisable(made.object.get());
  });
}

void Destroy(void* self) {
  const Hold hold;
  const std::unique_ptr<Instance> instance(static_cast<Instance*>(self));
  Checked(PyObject_CallMethod(instance->made.object.get(), "close", nullptr));
}

int Filter(void* self, const orbweaver_event* event, const orbweaver_link* links, size_t count,
           uint8_t* keep, orbweaver_error* error) {
  return Guarded(error, [&] {
    const auto& instance = *static_cast<Instance*>(self);
    if (instance.made.filter == nullptr) return;
    const Hold hold;
    sdk::LinkFilter filter(event, links, count, keep);
    const ShownEvent shown(&filter);
    Checked(PyObject_CallOneArg(instance.made.filter.get(), shown.get()));
  });
}

int OnEvent(void* self, const orbweaver_event* event, const orbweaver_link* links,
            const orbweaver_state* states, size_t count, orbweaver_decision* decisions,
            orbweaver_output* output, orbweaver_error* error) {
  return Guarded(error, [&] {
    auto& instance = *static_cast<Instance*>(self);
    if (event->kind == 0 || event->kind >= kHandlers.size()) {
      throw std::invalid_argument("event of an unknown kind");
    }
    PyObject* const handler = instance.made.handlers[event->kind].get();
    if (handler == nullptr) return;
    sdk::internal::Kept* const kept = &instance.kept;
    kept->Clear();
    const Hold hold;
    const auto handle = [handler](auto&& shown_event) {
      const ShownEvent shown(&shown_event);
      Checked(PyObject_CallOneArg(handler, shown.get()));
    };
    switch (event->kind) {
      case ORBWEAVER_SEEDS:
        return handle(sdk::Seeds(event, links, states, count, decisions, output, kept));
      case ORBWEAVER_PAGE:
        return handle(sdk::Page(event, links, states, count, decisions, output, kept));
      case ORBWEAVER_LINKS:
        return handle(sdk::Links(event, links, states, count, decisions, output, kept));
      case ORBWEAVER_FAILURE:
        return handle(sdk::Failure(event, links, states, count, decisions, output, kept));
      default:
        return handle(sdk::Host(event, output, kept));
    }
  });
}

int Adopt(void* self, orbweaver_text from_name, uint32_t from_version, orbweaver_text data,
          orbweaver_text* kept, orbweaver_error* error) {
  return Guarded(error, [&] {
    auto& instance = *static_cast<Instance*>(self);
    if (instance.made.adopt == nullptr) return;
    const Hold hold;
    const Owned answer = Checked(PyObject_CallFunction(
        instance.made.adopt.get(), "s#Iy#", from_name.data, static_cast<Py_ssize_t>(from_name.size),
        from_version, data.data, static_cast<Py_ssize_t>(data.size)));
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(answer.get(), &bytes, &size) != 0) throw TakeError();
    instance.adopted.assign(bytes, static_cast<size_t>(size));
    *kept = View(instance.adopted);
  });
}

int Finished(void* self, uint8_t* finished, orbweaver_error* error) {
  return Guarded(error, [&] {
    const auto& instance = *static_cast<Instance*>(self);
    if (instance.made.finished == nullptr) return;
    const Hold hold;
    const int is_true =
        PyObject_IsTrue(Checked(PyObject_CallNoArgs(instance.made.finished.get())).get());
    if (is_true < 0) throw TakeError();
    *finished = is_true != 0 ? 1 : 0;
  });
}

// ---- descriptions ----

// Of one class, or of the library as long as no module is named. Made once, kept for ever.
class Description {
 public:
  Description() {
    raw_.name = "python";
    raw_.doc = "A strategy of your own: a class in a Python module";
    Finish();
  }

  // With Python held; throws.
  explicit Description(PyObject* strategy) {
    raw_.name = Keep(Of("name_of", strategy));
    raw_.doc = Keep(Of("doc_of", strategy));
    raw_.version = static_cast<uint32_t>(
        PyLong_AsUnsignedLong(Checked(PyObject_GetAttrString(strategy, "version")).get()));
    const Owned needs_body = Checked(PyObject_GetAttrString(strategy, "needs_body"));
    if (PyObject_IsTrue(needs_body.get()) == 1) raw_.needs = ORBWEAVER_NEEDS_BODY;
    const Owned declared = Ask("declared", strategy);
    for (Py_ssize_t i = 0; i < PyList_Size(declared.get()); ++i) {
      const char *name = nullptr, *type = nullptr, *value = nullptr, *doc = nullptr;
      double min = 0, max = 0;
      if (PyArg_ParseTuple(PyList_GET_ITEM(declared.get(), i), "ssssdd", &name, &type, &value, &doc,
                           &min, &max) == 0) {
        throw TakeError();
      }
      parameters_.push_back({Keep(name), Keep(type), Keep(value), Keep(doc), min, max});
    }
    Finish();
  }

  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  const orbweaver_strategy* raw() const { return &raw_; }

 private:
  static Owned Ask(const char* function, PyObject* strategy) {
    return Checked(PyObject_CallOneArg(FromHost(function).get(), strategy));
  }
  static std::string Of(const char* function, PyObject* strategy) {
    return TextOf(Ask(function, strategy).get());
  }
  const char* Keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  void Finish();

  std::deque<std::string> texts_;
  std::vector<orbweaver_parameter> parameters_;
  orbweaver_strategy raw_{};
};

// Of index 0 there is one, whatever is configured.
const orbweaver_strategy* Describe(const orbweaver_choice* choice, orbweaver_error* error) {
  // By the names of module and class; never destroyed, as a library's descriptions are not.
  static auto* const known = new std::map<std::pair<std::string, std::string>, Description>;
  static const auto* const nameless = new Description;
  if (choice->index > 0) return nullptr;
  const orbweaver_strategy* raw = nameless->raw();
  const int failed = Guarded(error, [&] {
    Settings settings = Read(choice->settings_view, choice->setting_count);
    if (settings["module"].empty()) return;
    const Hold hold;
    const Owned strategy = LoadClass(settings);
    const auto [one, is_new] =
        known->try_emplace({settings["module"], settings["class"]}, strategy.get());
    raw = one->second.raw();
  });
  return failed == 0 ? raw : nullptr;
}

void Description::Finish() {
  constexpr double kNone = 0;
  parameters_.insert(
      parameters_.begin(),
      {{"module", "text", "", "The file of the strategy, NAME.py, or the name of a module", 1,
        kNone},
       {"class", "text", "", "The class in it; not needed where there is one only", 1, kNone}});
  sdk::internal::SetSizes(&raw_);
  raw_.parameters = parameters_.data();
  raw_.parameter_count = parameters_.size();
  raw_.create = Create;
  raw_.destroy = Destroy;
  raw_.filter = Filter;
  raw_.on_event = OnEvent;
  raw_.adopt = Adopt;
  raw_.finished = Finished;
  raw_.describe = Describe;
  raw_.reload = Reload;
}

}  // namespace
}  // namespace orbweaver::python

extern "C" __attribute__((visibility("default"))) const orbweaver_strategy* orbweaver_strategy_v1(
    void) {
  const orbweaver_choice first{};
  orbweaver_error error{};
  return orbweaver::python::Describe(&first, &error);
}
