import type { Express } from 'express'
import type { Metrics } from './metrics.ts'

export interface HealthParts {
  /** Name → whether it is well now. */
  checks: Record<string, () => boolean | Promise<boolean>>
  /** It ends: what comes is still served, new work should go elsewhere. */
  isDraining: () => boolean
  metrics: Metrics
}

/** `/healthz`: this process lives. `/readyz`: what it depends on does too. `/metrics` for Prometheus; the gateway guards its own. */
export function healthRoutes(app: Express, { checks, isDraining, metrics }: HealthParts): void {
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' })
  })
  app.get('/readyz', async (_request, response) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await Promise.resolve(check()).catch(() => false)] as const),
    )
    const ready = !isDraining() && results.every(([, well]) => well)
    const status = isDraining() ? 'draining' : ready ? 'ready' : 'not ready'
    response.status(ready ? 200 : 503).json({ status, checks: Object.fromEntries(results) })
  })
  app.get('/metrics', async (_request, response) => {
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}
