// HelpText and ReferencePage: the options for people.
#include "fmt/format.h"

#include "common/config/render.h"

namespace orbweaver::config {
namespace {

constexpr std::string_view kIntroduction =
    R"(<!-- Generated from the declarations of the options. Do not edit:
     ./run orbweaver config reference > docs/configuration.md -->
# Configuration

Every option has a default, so that a configuration names only what differs. Values are taken from
these sources, of which the later win:

1. the defaults on this page
2. the YAML file named by `--config FILE`: sections with options below them
3. environment variables: `ORBWEAVER_` and the option's name in capitals, its dots written as two
   underscores
4. `--set NAME=VALUE` on the command line, as often as needed; of two for one option the last wins

For `log.level` these are

```yaml
log:
  level: debug
```

`ORBWEAVER_LOG__LEVEL=debug` and `--set log.level=debug`. Environment variables of ours without two
underscores are not options.

A mistake is refused before anything starts, with exit code 2 and one line that says where it
stands: an unknown name (and the nearest known one), a value of the wrong type or out of bounds, a
key given twice. YAML anchors, aliases and tags are not supported, nor are files of more than 1 MiB.

| command | what it prints |
|---|---|
| `orbweaver config check --config FILE` | `OK`, or what is wrong |
| `orbweaver config show --config FILE` | the values in effect and the source of each, as YAML (`--json`: as JSON); secrets are masked |
| `orbweaver config schema` | a JSON Schema (draft 2020-12) of the file, for editors and deployment checks |
| `orbweaver config reference` | this page |

How values are written:

| type | text |
|---|---|
| duration | a whole number and its unit: `250ms`, `10s`, `2h`; units `ns us ms s m h d`; `0` needs none |
| size | a whole number and its unit: `64KiB`, `256MB`, or bytes alone; `KB MB GB TB` are powers of 1000, `KiB MiB GiB TiB` of 1024 |
| true or false | `true` or `false` and nothing else |
| list | in the file a YAML list; elsewhere separated by commas, empty for none. A later source replaces it |
| keys | in the file a section, the keys with their dots; elsewhere `NAME.KEY`. A later source adds to it, and replaces the keys that it names. In an environment variable two underscores in the key are a dot and letters are small: keys with capitals need another source |

## Options
)";

// Inside a Markdown table.
std::string Cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string DefaultOf(const Option& option) {
  std::string out;
  for (const Option::Entry& entry : option.defaults) {
    if (!out.empty()) out += option.shape == Option::Shape::kList ? "," : ", ";
    if (option.shape == Option::Shape::kMap) out += entry.key + "=";
    out += entry.text;
  }
  return out;
}

std::string_view SectionOf(const Option& option) {
  return std::string_view(option.name).substr(0, option.name.find('.'));
}

}  // namespace

std::string HelpText(const Schema& schema) {
  std::string out;
  for (const Option& option : schema.options()) {
    const std::string initial = DefaultOf(option);
    out += fmt::format("  {}: {} (default {})\n      {}\n", option.name, option.Expected(),
                       initial.empty() ? "empty" : initial, option.doc);
  }
  return out;
}

std::string ReferencePage(const Schema& schema) {
  std::string out(kIntroduction);
  std::string_view section;
  for (const Option& option : schema.options()) {
    if (SectionOf(option) != section) {
      section = SectionOf(option);
      out += fmt::format(
          "\n### {}\n\n| option | value | default | what it does |\n|---|---|---|---|\n", section);
    }
    const std::string initial = DefaultOf(option);
    out += fmt::format("| `{}` | {}{} | {} | {} |\n", option.name, Cell(option.Expected()),
                       option.IsSecret("") ? "; secret" : "",
                       initial.empty() ? "empty" : fmt::format("`{}`", Cell(initial)),
                       Cell(option.doc));
  }
  return out;
}

}  // namespace orbweaver::config
