export { type RunningServer, type StartOptions, start } from './start.ts'
