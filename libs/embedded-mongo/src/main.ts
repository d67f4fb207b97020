import { readConfig, usage } from './config.ts'
import { start } from './start.ts'

const loopback = new Set(['127.0.0.1', 'localhost', '::1'])

/** The time for a clean stop after the parent has ended. A hard stop is safe: acknowledged writes are on disk. */
const orphanMs = 2_500

// Also while it starts: the parent's end must not be missed.
process.once('disconnect', () => setTimeout(() => process.exit(1), orphanMs).unref())
process.channel?.unref()
try {
  const config = readConfig(process.argv.slice(2))
  if (config.host !== undefined && !loopback.has(config.host)) {
    process.stderr.write(
      `warning: listening on ${config.host}: there is no authentication, anyone who reaches this address can read and write everything\n`,
    )
  }
  const server = await start(config)
  process.stdout.write(`ready ${server.uri}\n`)
  const stop = () => {
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`embedded-mongo: ${String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  // Started with a channel to its parent, it ends with that parent, however that ends.
  process.once('disconnect', stop)
} catch (error) {
  const isUsage = error instanceof Error && /^--|option|argument/i.test(error.message)
  process.stderr.write(`embedded-mongo: ${error instanceof Error ? error.message : String(error)}\n${isUsage ? `${usage}\n` : ''}`)
  process.exit(1)
}
