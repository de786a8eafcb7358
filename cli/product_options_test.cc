#include "cli/product_options.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "common/config/product_sections.h"
#include "common/config/render.h"
#include "common/config/schema.h"

namespace orbweaver {
namespace {

// CTest runs it in the source tree.
TEST(ProductOptionsTest, TheReferencePageSaysWhatIsDeclared) {
  config::Schema schema;
  ProductOptions options;
  DeclareProductOptions(schema, &options);
  std::ifstream file("docs/configuration.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), config::ReferencePage(schema))
      << "docs/configuration.md is stale. Write it anew: "
         "./run orbweaver config reference > docs/configuration.md";
}

// A process would refuse the section of another that is not in the list.
TEST(ProductOptionsTest, TheListOfSectionsIsWhatIsDeclared) {
  config::Schema schema;
  ProductOptions options;
  DeclareProductOptions(schema, &options);
  std::set<std::string_view> declared;
  for (const config::Option& option : schema.options()) {
    declared.insert(std::string_view(option.name).substr(0, option.name.find('.')));
  }
  const std::set<std::string_view> listed(std::begin(config::kProductSections),
                                          std::end(config::kProductSections));
  EXPECT_EQ(declared, listed) << "complete common/config/product_sections.h";
}

}  // namespace
}  // namespace orbweaver
