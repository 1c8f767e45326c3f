'use strict';

// Lets a plain Node process require the service's TypeScript, compiled as `.swcrc` says: for specs that need a process
// of their own to kill.
const { Module } = require('node:module');
const { join } = require('node:path');
const { transformFileSync } = require('@swc/core');

const root = join(__dirname, '..', '..', '..', '..');
const resolve = Module._resolveFilename;

Module._resolveFilename = (request, ...rest) =>
  resolve.call(
    Module,
    request.startsWith('@app/') ? join(root, 'libs', request.slice('@app/'.length)) : request,
    ...rest,
  );

Module._extensions['.ts'] = (module, file) => module._compile(transformFileSync(file, { root, cwd: root }).code, file);
