"""Static files under names that change with their content, so that they can be kept for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStaticFilesStorage(CompressedManifestStaticFilesStorage):
    # `import "./outbox.js"` inside an ES module must name the hashed file too.
    support_js_module_import_aggregation = True
