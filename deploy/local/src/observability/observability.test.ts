import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { apis, gigAssigned, queuesOf } from '@carapace/api'
import { declaredMetrics } from '@carapace/service'
import { outgoing, until } from '@carapace/testing'
import { parse } from 'yaml'
import { services } from '../services.ts'
import { platformAroundTests } from '../testing/around-tests.ts'
import { newValidators, scenarios } from '../testing/scenarios.ts'

interface Rule {
  alert: string
  expr: string
  annotations: { runbook_url: string }
}
interface Panel {
  title: string
  targets: { expr: string }[]
}

const folder = new URL('../../../observability/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const rules = (parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(group => group.rules)
const dashboards = readdirSync(new URL('dashboards/', folder)).map(
  name => JSON.parse(read(`dashboards/${name}`)) as { title: string; panels: Panel[] },
)
const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboards.flatMap(({ title, panels }) => panels.flatMap(panel => panel.targets.map(({ expr }) => [`${title}, ${panel.title}`, expr] as const))),
]

const soldRead = `/api/reputation/check-eligibility?wallet=0x${'34'.repeat(20)}`

const words = new Set(['sum', 'max', 'rate', 'increase', 'histogram_quantile', 'topk', 'by', 'or', 'absent'])
/** Made by Prometheus itself for each process that it reads. */
const ofPrometheus = new Set(['up'])
/** Of a PromQL query: what is no label, text, number, duration or word of the language. */
function metricsOf(query: string): string[] {
  const bare = query.replaceAll(/\{[^}]*\}|\bby \([^)]*\)|\[[^\]]*\]/g, ' ')
  return [...bare.matchAll(/[a-zA-Z_][a-zA-Z0-9_]*/g)].map(([name]) => name).filter(name => !words.has(name))
}
/** Labels of a metric that a query filters by or groups by. */
function labelsOf(query: string): string[] {
  const filtered = [...query.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) =>
    [...inside!.matchAll(/([a-z_]+)\s*(?:=|!=|=~|!~)"/g)].map(([, name]) => name!),
  )
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside]) => inside!.split(',').map(name => name.trim()))
  return [...filtered, ...grouped]
}

describe('dashboards and alert rules', function () {
  this.timeout(240_000)
  const platform = platformAroundTests({ env: { X402_PAY_TO_ADDRESS: `0x${'12'.repeat(20)}` } })
  const metrics = async () => {
    const urls = [...services.map(({ api }) => platform.service(api.name).url), platform.url]
    return (await Promise.all(urls.map(async url => (await fetch(`${url}/metrics`)).text()))).join('\n')
  }

  it('use metrics and labels that the processes show', async () => {
    await newValidators(platform)
    const [, play] = scenarios[0]!
    await play(platform)
    assert.equal((await platform.call('GET', soldRead)).status, 402)
    await platform.bus.publish([outgoing(gigAssigned.type, { data: {} })])
    await platform.service('escrow').runJobs()
    const text = await until('what happened is counted', async () => {
      const shown = await metrics()
      const all = [/chain_confirmation_seconds_count\{.*chain="BASE_SEPOLIA".*\} [1-9]/, /messaging_dead_messages_total\{.*\} 1/]
      return all.every(one => one.test(shown)) && shown
    })
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    const names = new Set(types.flatMap(([, name, type]) => (type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!])))
    const labels = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map(([, name]) => name!))

    for (const [where, query] of queries) {
      assert.ok(metricsOf(query).length > 0, where)
      assert.deepEqual(
        [...metricsOf(query).filter(name => !names.has(name) && !ofPrometheus.has(name)), ...labelsOf(query).filter(name => !labels.has(name))],
        [],
        where,
      )
    }
    assert.match(text, /locked_usdc\{.*chain="BASE_SEPOLIA".*\} \d/)
    assert.match(text, /db_client_connection_count\{.*state="idle".*\} [1-9]/)
    assert.match(text, /messaging_client_sent_messages_total\{.*name="marketplace\.gig\.assigned\.v1".*\} 1/)
    const shown = [...types].map(([, name]) => name!)
    for (const name of Object.keys(declaredMetrics))
      assert.ok(
        shown.some(one => one.startsWith(name.replaceAll('.', '_'))),
        `nobody shows ${name}`,
      )
  })

  it('fire for a process that is absent, though what only it shows is absent too', async () => {
    const shownBy = async (url: string) =>
      new Set([...(await (await fetch(`${url}/metrics`)).text()).matchAll(/^([a-z_]+)\{(?:[^}]*,)?queue="([^"]+)"/gm)].map(([, , queue]) => queue!))
    const queues = queuesOf(Object.values(apis)).map(({ name }) => name)
    const { expr } = rules.find(({ alert }) => alert === 'ProcessAbsent')!

    assert.deepEqual(
      [...expr.matchAll(/absent\(outbox_lag_seconds\{service_name="([^"]+)"\}\)/g)].map(([, name]) => name!).toSorted(),
      ['gateway', ...services.map(({ api }) => api.name)].toSorted(),
    )
    const depths = await shownBy(platform.url)
    assert.deepEqual(
      queues.filter(name => !depths.has(name)),
      [],
    )
    const leaderless = rules.find(({ alert }) => alert === 'LaneWithoutLeader')!
    assert.match(leaderless.expr, / or absent\(lane_leading\)$/)
  })

  it('lead from each alert to its runbook', () => {
    const manual = readFileSync(new URL('../../../../docs/operate.md', import.meta.url), 'utf8')
    assert.ok(rules.length > 0)
    for (const { alert, annotations } of rules) {
      assert.equal(annotations.runbook_url, `docs/operate.md#${alert.toLowerCase()}`)
      assert.match(manual, new RegExp(`^### ${alert}\\n\\n- \\*\\*Means\\*\\*: .+\\n- \\*\\*Read\\*\\*: .+\\n- \\*\\*Do\\*\\*: .+$`, 'm'), alert)
    }
  })
})
