import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { processVariables } from '../config.ts'

const execute = promisify(execFile)

/** Runs a container engine, podman or docker; resolves to what it printed. @throws Error with the end of what it complained about */
export const engine =
  (command: string) =>
  async (...args: string[]): Promise<string> => {
    try {
      const { stdout } = await execute(command, args, { maxBuffer: 64 << 20, env: processVariables })
      return stdout.trim()
    } catch (error) {
      const { code, stderr = '' } = error as { code: unknown; stderr?: string }
      if (code === 'ENOENT') throw new Error(`${command} is not installed`, { cause: error })
      throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${stderr.slice(-2_000)}`, { cause: error })
    }
  }

export const podman = engine('podman')
