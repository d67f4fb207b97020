import assert from 'node:assert/strict'
import { startGateway } from '@carapace/gateway'
import { type ChainPlatform, type ExportedSpan, type OtlpSink, startChainPlatform, startOtlpSink, until } from '@carapace/testing'
import { services } from '../services.ts'
import { newValidators, scenarios } from '../testing/scenarios.ts'

describe('the traces of a settlement', function () {
  this.timeout(240_000)
  let sink: OtlpSink
  let platform: ChainPlatform
  let spans: ExportedSpan[]

  before(async () => {
    sink = await startOtlpSink()
    platform = await startChainPlatform({ services, startGateway, bus: 'rabbitmq', env: { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url } })
    await newValidators(platform)
    // from the posted gig to the paid worker
    const [, play] = scenarios[0]!
    await play(platform)
    const isFinal = async () => {
      await platform.networks.BASE_SEPOLIA.provider.send('anvil_mine', ['0x1'])
      return sink.spans.some(({ name }) => name === 'finalize escrow.settle')
    }
    await until('its release is final', isFinal, 60)
    await platform.end()
    spans = sink.spans
  })
  after(() => sink?.close())

  const byId = () => new Map(spans.map(span => [span.spanId, span]))
  const shown = ({ service, name }: ExportedSpan) => `${service}: ${name}`
  /** From the root of its trace to the span itself. */
  const pathTo = (span: ExportedSpan, all = byId()): string[] => {
    const parent = all.get(span.parentSpanId)
    return [...(parent ? pathTo(parent, all) : []), shown(span)]
  }
  const found = (service: string, name: RegExp) => spans.filter(span => span.service === service && name.test(span.name))

  it('are trees: one root each, and every other span under one of its own trace', () => {
    const all = byId()
    const roots = new Map<string, number>()
    for (const span of spans) {
      if (span.parentSpanId === '') roots.set(span.traceId, (roots.get(span.traceId) ?? 0) + 1)
      else assert.equal(all.get(span.parentSpanId)?.traceId, span.traceId, `${shown(span)} hangs in the air`)
    }
    assert.deepEqual(new Set(roots.values()), new Set([1]))
    assert.equal(roots.size, new Set(spans.map(({ traceId }) => traceId)).size)
  })

  it('lead from the request through outbox, broker and consumers into the block that has the effect, and on', () => {
    for (const step of ['sign', 'send', 'confirm', 'finalize']) {
      const [release] = found('chain-relayer', new RegExp(`^${step} escrow\\.settle$`))
      assert.ok(release, step)
      const path = pathTo(release)
      assert.equal(path[0], 'gateway: POST /api/swarm/vote')
      assert.equal(path[1], 'swarm: POST /api/swarm/vote')
      assert.match(path.at(-3)!, /^escrow: send chain\.command/)
      assert.match(path.at(-2)!, /^chain-relayer: process chain\.command/)
      assert.match(String(release.attributes['carapace.tx_hash']), /^0x[0-9a-f]{64}$/)
      assert.equal(release.attributes['carapace.block_number'] !== undefined, step === 'confirm' || step === 'finalize')
    }
    const paid = found('marketplace', /^process escrow\.escrow\.released/).map(span => pathTo(span))
    assert.ok(paid.some(path => path.includes('chain-relayer: confirm escrow.settle') && path[0] === 'gateway: POST /api/swarm/vote'))
  })

  it('name routes by their templates and the record that each event is about', () => {
    const accepted = found('marketplace', /^POST \/api\/gigs\/:id\/accept-applicant$/)
    assert.equal(accepted.length, 1)
    assert.equal(accepted[0]?.attributes['http.response.status_code'], 200)
    const messages = spans.filter(({ attributes }) => attributes['messaging.message.id'] !== undefined)
    assert.ok(messages.length > 0)
    for (const span of messages) assert.ok(span.attributes['carapace.subject'], shown(span))
  })
})
