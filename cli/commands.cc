// The list of commands: a new one is declared and named here.
#include "cli/command.h"

namespace orbweaver {

int RunConfig(std::span<const std::string> args);
int RunInit(std::span<const std::string> args);
int RunPage(std::span<const std::string> args);
int RunParse(std::span<const std::string> args);
int RunRobots(std::span<const std::string> args);
int RunStrategy(std::span<const std::string> args);
int RunUrl(std::span<const std::string> args);
int RunVersion(std::span<const std::string> args);

std::span<const Command> Commands() {
  static constexpr Command kCommands[] = {
      {"config", "Check the configuration, show what is in effect, list the options", RunConfig},
      {"init", "Make the topics and tables of a cluster, or check them", RunInit},
      {"page", "Show what is kept of a fetched page, its body, or others with the same content",
       RunPage},
      {"parse", "Show what the spider would log of a document: its links, title, charset",
       RunParse},
      {"robots", "Say what a robots.txt allows a crawler, and by which rule", RunRobots},
      {"strategy", "List the crawl strategies, describe one's parameters", RunStrategy},
      {"url", "Show what the crawler makes of URLs: canonical form, domain, slot", RunUrl},
      {"version", "Print the version and how this program was built", RunVersion},
  };
  return kCommands;
}

}  // namespace orbweaver
