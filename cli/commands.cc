// The list of commands: a new one is declared and named here.
#include "cli/command.h"

namespace orbweaver {

Command BlockCommand();
Command CheckCommand();
Command CompleteCommand();
Command ConfigCommand();
Command ConsoleCommand();
Command CrawlCommand();
Command ExplainCommand();
Command FetchCommand();
Command ForgetCommand();
Command InitCommand();
Command InspectCommand();
Command LogCommand();
Command MetricsApiCommand();
Command MirrorCommand();
Command PageCommand();
Command ParseCommand();
Command PauseCommand();
Command PurgeCommand();
Command RaiseCommand();
Command RecordCommand();
Command ReplayCommand();
Command RequeueCommand();
Command RescheduleCommand();
Command ResetCommand();
Command ResumeCommand();
Command RobotsCommand();
Command SeedsCommand();
Command SpiderCheckCommand();
Command StatusCommand();
Command StrategyCommand();
Command UnblockCommand();
Command UrlCommand();
Command VersionCommand();

std::span<const Command> Commands() {
  static const Command kCommands[] = {
      BlockCommand(),   CheckCommand(),   CompleteCommand(),    ConfigCommand(), ConsoleCommand(),
      CrawlCommand(),   ExplainCommand(), FetchCommand(),       ForgetCommand(), InitCommand(),
      InspectCommand(), LogCommand(),     MetricsApiCommand(),  MirrorCommand(), PageCommand(),
      ParseCommand(),   PauseCommand(),   PurgeCommand(),       RaiseCommand(),  RecordCommand(),
      ReplayCommand(),  RequeueCommand(), RescheduleCommand(),  ResetCommand(),  ResumeCommand(),
      RobotsCommand(),  SeedsCommand(),   SpiderCheckCommand(), StatusCommand(), StrategyCommand(),
      UnblockCommand(), UrlCommand(),     VersionCommand(),
  };
  return kCommands;
}

}  // namespace orbweaver
