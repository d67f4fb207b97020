#!/usr/bin/env node
// npm links a program only if it is there when it installs, which is before the build.
import '../dist/main.js'
