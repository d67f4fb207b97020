import type { ServiceName } from '@carapace/api'
import { rabbitBus } from '@carapace/bus'
import { readConfig, required } from './config.ts'
import type { AnyService } from './define.ts'
import { makeLog } from './log.ts'
import { addressesOf, servicePort } from './peers.ts'
import { startService } from './start.ts'
import { startTelemetry } from './telemetry.ts'

/** Runs one service as a process of its own: configuration from the environment, RabbitMQ, MongoDB, SIGTERM ends it in order. */
export function run(service: AnyService): void {
  main(service).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
}

async function main(service: AnyService): Promise<void> {
  const name: ServiceName = service.api.name
  const config = readConfig(undefined, { PORT: String(servicePort(name, readConfig().SERVICE_PORT_BASE)) })
  const log = makeLog({ process: name, level: config.LOG_LEVEL })
  const telemetry = config.OTEL_EXPORTER_OTLP_ENDPOINT ? await startTelemetry(name, config.OTEL_EXPORTER_OTLP_ENDPOINT) : undefined
  const [mongoUri, internalKey] = [required(config, 'MONGODB_URI'), required(config, 'INTERNAL_KEY')]
  const bus = rabbitBus({ url: required(config, 'AMQP_URL'), service: name, log })
  try {
    const running = await startService(service, {
      config,
      mongoUri,
      bus,
      internalKey,
      address: addressesOf(config),
      log,
      host: config.HOST,
      port: config.PORT,
    })
    log.info({ url: running.url }, 'ready')
    log.flush()
    await terminated()
    await running.close()
  } finally {
    await bus.close()
    await telemetry?.close()
  }
}

/** Resolves at the first SIGTERM or SIGINT, or when a supervisor that holds a channel to this process is gone. */
export function terminated(): Promise<void> {
  return new Promise(resolve => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
    process.once('disconnect', () => resolve())
    process.channel?.unref()
  })
}
