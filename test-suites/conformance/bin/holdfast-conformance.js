#!/usr/bin/env node
// npm links commands when it installs, which in a clone comes before the build: this file is always there.
import '../dist/cli.js'
