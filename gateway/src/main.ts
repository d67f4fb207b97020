import { rabbitBus } from '@carapace/bus'
import { addressesOf, makeLog, readConfig, required, startTelemetry, terminated } from '@carapace/service'
import { startGateway } from './start.ts'

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})

/** The gateway as a process of its own: configuration from the environment, RabbitMQ, MongoDB, SIGTERM ends it in order. */
async function main(): Promise<void> {
  const config = readConfig()
  const mongoUri = required(config, 'MONGODB_URI')
  const internalKey = required(config, 'INTERNAL_KEY')
  const log = makeLog({ process: 'gateway', level: config.LOG_LEVEL })
  const telemetry = config.OTEL_EXPORTER_OTLP_ENDPOINT ? await startTelemetry('gateway', config.OTEL_EXPORTER_OTLP_ENDPOINT) : undefined
  const bus = rabbitBus({ url: required(config, 'AMQP_URL'), service: 'gateway', log })
  try {
    const gateway = await startGateway({ config, mongoUri, bus, internalKey, address: addressesOf(config), log })
    log.info({ url: gateway.url, publicBaseUrl: gateway.publicBaseUrl }, 'ready')
    await terminated()
    await gateway.close()
  } finally {
    await bus.close()
    await telemetry?.close()
  }
}
