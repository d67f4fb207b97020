import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { until } from './until.ts'

/** A program in a process of its own that logs JSON lines. */
export interface Program {
  child: ChildProcess
  /** What it logged so far. */
  readonly lines: Record<string, unknown>[]
  errors(): string
  /** SIGTERM. Resolves to its exit code. @throws Error when it does not end within 10 s */
  terminate(): Promise<number | null>
}

/** Runs a compiled program with these variables and no others. @example const program = startProgram(fileURLToPath(new URL('main.js', import.meta.url)), { PORT: '0' }) */
export function startProgram(
  file: string,
  environment: Record<string, string | undefined>,
  stdio: StdioOptions = ['ignore', 'pipe', 'pipe'],
): Program {
  const child = spawn(process.execPath, [file], { env: { PATH: process.env.PATH, ...environment }, stdio })
  let out = ''
  let errors = ''
  child.stdout!.on('data', chunk => (out += chunk))
  child.stderr!.on('data', chunk => (errors += chunk))
  return {
    child,
    get lines() {
      return out
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line))
    },
    errors: () => errors,
    terminate: async () => {
      child.kill('SIGTERM')
      await until('it has ended', () => child.exitCode !== null || child.signalCode !== null, 10)
      return child.exitCode
    },
  }
}
