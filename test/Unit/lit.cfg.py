"""lit's configuration of the GoogleTest programs: bin/*Tests in the build."""

import os

import lit.formats

config.name = "sparseconv-unit"
config.suffixes = []
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_source_root = os.path.join(config.sparseconv_obj_root, "bin")
config.test_exec_root = os.path.join(config.sparseconv_obj_root, "test", "Unit")

if config.sparseconv_sanitize:
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0"
    config.environment["LSAN_OPTIONS"] = "print_suppressions=0:suppressions=" + (
        os.path.join(os.path.dirname(os.path.dirname(__file__)), "lsan.supp")
    )
    config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"

# A round trip concerns sparseconv-opt only.
if os.environ.get("SPARSECONV_VERIFY_ROUNDTRIP") == "1":
    config.test_format = lit.formats.GoogleTest(".", "none of them")
