import { randomUUID } from 'node:crypto'
import { queuesOf } from '@carapace/api'
import { type Bus, inProcessBus, quiet } from '@carapace/bus'
import { acquireMongo } from '@carapace/testing'
import { type Config, readConfig } from '../config/config.ts'
import type { AnyService, Platform } from '../define.ts'
import type { Runtime } from '../start/runtime.ts'
import { startService } from '../start/start-service.ts'
import { makeLog } from '../telemetry/log.ts'
import { type Harness, internalKey, newHarness, signed, things } from './things.fixture.ts'

export interface Started {
  url: string
  harness: Harness
  platform: Platform
  /** What a second process of this service is started with. */
  shares: Pick<Runtime, 'mongoUri' | 'config'>
  lines: Record<string, unknown>[]
  text(): string
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  call(method: string, path: string, options?: { body?: string | Buffer; headers?: Record<string, string> }): Promise<Answer>
  runJobs(): Promise<void>
  /** `leaveGateClosed`: what waits for the gate goes on waiting. */
  close(options?: { leaveGateClosed: boolean }): Promise<void>
}
export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of all shapes
  body: any
}

/** Runs the service on storage and a bus of its own. */
export async function startThings(
  options: { bus?: Bus; env?: Record<string, string>; more?: Partial<AnyService>; runtime?: Partial<Runtime> } = {},
): Promise<Started> {
  const mongo = await acquireMongo()
  const bus = options.bus ?? inProcessBus({ log: quiet, retry: { delaysMs: [5, 10], limit: 5 } })
  const harness = newHarness()
  const written: string[] = []
  const config: Config = readConfig({ LOG_LEVEL: 'info', ...options.env })
  const shares = { mongoUri: mongo.uri, config: { ...config, DB_PREFIX: `${mongo.prefix}${randomUUID().slice(0, 4)}_` } }
  const running = await startService(things(harness, options.more), {
    ...shares,
    bus,
    queues: queuesOf([things(harness, options.more).api]),
    internalKey,
    address: () => 'http://127.0.0.1:9',
    log: makeLog({ process: 'test', level: config.LOG_LEVEL, destination: { write: line => void written.push(line) } }),
    ...options.runtime,
  }).catch(async error => {
    await mongo.close()
    throw error
  })
  const call: Started['call'] = async (method, path, { body, headers = {} } = {}) => {
    const response = await fetch(running.url + path, { method, headers, ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }) })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') && text
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
  return {
    url: running.url,
    harness,
    platform: running.platform,
    shares,
    get lines() {
      return written.map(line => JSON.parse(line))
    },
    text: () => written.join(''),
    call,
    post: (path, body, headers = signed()) =>
      call('POST', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }),
    runJobs: running.runJobs,
    close: async ({ leaveGateClosed } = { leaveGateClosed: false }) => {
      if (!leaveGateClosed) harness.openGate()
      await running.close()
      if (!options.bus) await bus.close()
      await mongo.close()
    },
  }
}
