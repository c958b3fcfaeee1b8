// Stands in the built server for what it never uses (esbuild.config.mjs).
module.exports = {};
