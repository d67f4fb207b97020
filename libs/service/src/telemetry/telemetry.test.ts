import assert from 'node:assert/strict'
import { type ExportedSpan, type OtlpSink, startOtlpSink } from '@carapace/testing'
import { readConfig } from '../config/config.ts'
import { startTelemetry } from './telemetry.ts'
import { beginSpan, inSpan, traceparentOf } from './trace.ts'

describe('the export of spans', () => {
  let sink: OtlpSink
  beforeEach(async () => {
    sink = await startOtlpSink()
  })
  afterEach(() => sink.close())

  /** A request of one service that is continued in another, so many times. @returns what was exported by then */
  const recorded = async (settings: Record<string, string>, times: number, parent?: string): Promise<ExportedSpan[]> => {
    const telemetry = await startTelemetry(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, ...settings }))
    for (let n = 0; n < times; n++)
      await inSpan({ by: 'social', name: 'GET /a', kind: 'server', fromOutside: true }, parent, async trace => {
        await inSpan({ by: 'escrow', name: 'process a', kind: 'consumer' }, traceparentOf(trace), async () => undefined)
        beginSpan({ by: 'swarm', name: 'send a', kind: 'producer' }, traceparentOf(trace))?.end()
      })
    await telemetry.close()
    return sink.spans
  }
  const requestsEach = 400
  const parentOf = (flags: string) => `00-${'c'.repeat(32)}-${'d'.repeat(16)}-${flags}`

  it('shows each span under the one that it continues, by the service that recorded it', async () => {
    const spans = await recorded({}, 1)

    const root = spans.find(({ parentSpanId }) => parentSpanId === '')
    const shown = spans.map(({ service, name, traceId, parentSpanId }) => [
      service,
      name,
      traceId === root?.traceId,
      parentSpanId === root?.spanId ? 'root' : parentSpanId,
    ])
    assert.deepEqual(shown.sort(), [
      ['escrow', 'process a', true, 'root'],
      ['social', 'GET /a', true, ''],
      ['swarm', 'send a', true, 'root'],
    ])
  })

  it('ends in order where no collector answers', async () => {
    await sink.close()

    assert.deepEqual(await recorded({}, 1), [])

    sink = await startOtlpSink()
  })

  for (const sampler of ['parentbased_traceidratio', 'traceidratio'])
    it(`exports the share of traces that is configured, each of them whole, by ${sampler}`, async () => {
      const spans = await recorded({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.25' }, requestsEach)

      const sizes = new Map<string, number>()
      for (const { traceId } of spans) sizes.set(traceId, (sizes.get(traceId) ?? 0) + 1)
      assert.deepEqual(new Set(sizes.values()), new Set([3]))
      assert.ok(sizes.size > 40 && sizes.size < 160, `${sizes.size} of ${requestsEach}`)
    })

  // ids at either end of the range that the ratio is compared with
  for (const digit of ['0', 'f'])
    for (const flags of ['00', '01'])
      it(`lets no caller decide that, by flags ${flags} or an id of ${digit}`, async () => {
        const parent = `00-${digit.repeat(31)}1-${'d'.repeat(16)}-${flags}`

        const spans = await recorded({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, requestsEach, parent)

        const requests = spans.filter(({ name }) => name === 'GET /a').length
        assert.ok(requests > 40 && requests < 160, `${requests} of ${requestsEach}`)
        assert.equal(spans.length, 3 * requests)
      })

  const decisions: [sampler: string, flags: string, spans: number][] = [
    ['parentbased_always_on', '01', 3],
    ['parentbased_always_on', '00', 0],
    ['parentbased_always_off', '01', 3],
    ['always_off', '01', 0],
    ['always_on', '00', 3],
  ]
  for (const [sampler, flags, spans] of decisions)
    it(`exports ${spans} spans of a request with the flags ${flags} by ${sampler}`, async () => {
      assert.equal((await recorded({ OTEL_TRACES_SAMPLER: sampler }, 1, parentOf(flags))).length, spans)
    })

  it('records nothing once it is closed', async () => {
    await recorded({}, 1)
    sink.spans.length = 0

    await inSpan({ by: 'social', name: 'later', kind: 'server' }, undefined, async trace => assert.equal(trace.span, undefined))

    assert.deepEqual(sink.spans, [])
  })
})
