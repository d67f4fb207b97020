import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readConfig, startTelemetry } from '@carapace/service'
import { Pool } from 'undici'
import { startHarness } from '../testing/harness.ts'

/** One party of the bench as a process of its own: `node serve.js <role> [upstream url]`. Sends its address. */
const record = {
  id: '0190a5d0-0000-7000-8000-000000000001',
  title: 'Audit a vault',
  status: 'open',
  budget: 40,
  skillsRequired: ['solidity'],
  version: 3,
}

const roles: Record<string, (upstream: string) => Promise<string>> = {
  service: () =>
    listen((_request, response) => {
      const body = JSON.stringify(record)
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        etag: 'W/"3"',
        'cache-control': 'public, max-age=1',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    }),

  /** Accepts spans and forgets them. */
  collector: () =>
    listen((request, response) => {
      request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
    }),

  /** Nothing but forwarding: the most that this way of proxying can give. */
  pipe: upstream => {
    const pool = new Pool(upstream, { connections: 64, pipelining: 1 })
    return listen((request, response) => {
      pool.dispatch(
        { method: 'GET', path: request.url ?? '/', headers: { accept: '*/*' } },
        {
          onRequestStart: () => {},
          onResponseStart: (controller, status) => {
            response.writeHead(status, (controller.rawHeaders as Buffer[]).map(String))
          },
          onResponseData: (controller, chunk) => {
            // a caller that has ended reads no more: the rest of the answer frees its connection
            if (response.write(chunk) || response.destroyed) return
            controller.pause()
            response.once('drain', () => controller.resume())
          },
          onResponseEnd: () => response.end(),
          onResponseError: () => response.destroy(),
        },
      )
    })
  },

  gateway: async upstream => {
    const harness = await startHarness({ RATE_LIMIT_READ: '100000000', LOG_LEVEL: process.argv[4] ?? 'info' }, { address: () => upstream })
    process.once('disconnect', () => void harness.close().then(() => process.exit(0)))
    return harness.url
  },

  /** The gateway that records a tenth of its traces: `sampled <upstream> <log level> <collector>`. */
  sampled: async upstream => {
    const sampling = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }
    await startTelemetry(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: process.argv[5], ...sampling }))
    return roles.gateway!(upstream)
  },
}

function listen(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  process.once('disconnect', () => process.exit(0))
  return new Promise(resolve => {
    const server = createServer({ keepAliveTimeout: 65_000 }, handler).listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    })
  })
}

process.send?.({ url: await roles[process.argv[2]!]!(process.argv[3] ?? '') })
