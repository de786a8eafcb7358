#include "spider/parse/html_engine.h"

namespace orbweaver {

std::unique_ptr<HtmlEngine> MakeHtmlEngine(HtmlEngineKind kind) {
  return kind == HtmlEngineKind::kGumbo ? MakeGumboEngine() : MakeScannerEngine();
}

}  // namespace orbweaver
