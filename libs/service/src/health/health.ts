import type { Express } from 'express'
import { type Metrics, metricsType } from '../telemetry/metrics.ts'

type Check = () => boolean | Promise<boolean>
type Conditions = Readonly<Record<string, Check>>
export interface ReadinessParts {
  /** Name → whether it is there now. Without one of these nothing can be served. */
  needed: Conditions
  /** Name → whether it is there now. Without these reads are served, but they may be incomplete. */
  useful: Conditions
  /** Names of what the start waits for. */
  absent?: () => readonly string[]
  /** It ends: what comes is still served, new work should go elsewhere. */
  isDraining: () => boolean
}
export interface Readiness {
  status: 'ready' | 'not ready' | 'draining'
  checks: Record<string, boolean>
  /** Names of what is useful and not there. */
  degraded: string[]
}

/** Whether new requests should be sent here. A check that throws counts as not there. */
export async function readiness({ needed, useful, absent = () => [], isDraining }: ReadinessParts): Promise<Readiness> {
  const [present, may] = await Promise.all([results(needed), results(useful)])
  const must = [...present, ...absent().map((name): [string, boolean] => [name, false])]
  const status = isDraining() ? 'draining' : must.every(([, isThere]) => isThere) ? 'ready' : 'not ready'
  const degraded = may.filter(([, isThere]) => !isThere).map(([name]) => name)
  return { status, checks: Object.fromEntries([...must, ...may]), degraded }
}

const results = (checks: Conditions): Promise<[string, boolean][]> =>
  Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, boolean]> => {
      const isThere = await Promise.resolve()
        .then(check)
        .catch(() => false)
      return [name, isThere]
    }),
  )

export interface HealthParts {
  readiness: ReadinessParts
  metrics: Metrics
}

/** `/healthz`: this process lives. `/readyz`: 200 while it can serve. `/metrics` for Prometheus; the gateway guards its own. */
export function healthRoutes(app: Express, { readiness: parts, metrics }: HealthParts): void {
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' })
  })
  app.get('/readyz', async (_request, response) => {
    const state = await readiness(parts)
    response.status(state.status === 'ready' ? 200 : 503).json(state)
  })
  app.get('/metrics', async (_request, response) => {
    response.type(metricsType).send(await metrics.text())
  })
}
