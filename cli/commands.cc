// The list of commands: a new one is declared and named here.
#include "cli/command.h"

namespace orbweaver {

Command ConfigCommand();
Command CrawlCommand();
Command FetchCommand();
Command InitCommand();
Command PageCommand();
Command ParseCommand();
Command RobotsCommand();
Command SeedsCommand();
Command StrategyCommand();
Command UrlCommand();
Command VersionCommand();

std::span<const Command> Commands() {
  static const Command kCommands[] = {
      ConfigCommand(),   CrawlCommand(), FetchCommand(),   InitCommand(),
      PageCommand(),     ParseCommand(), RobotsCommand(),  SeedsCommand(),
      StrategyCommand(), UrlCommand(),   VersionCommand(),
  };
  return kCommands;
}

}  // namespace orbweaver
