// Replaces modules that the built server never uses (esbuild.config.mjs).
module.exports = {};
