import { serviceApi } from './core/service-api.ts'
import { consumes } from './gateway/consumes.ts'
import { clockAdvanced } from './gateway/events.ts'
import * as operator from './gateway/operator.ts'
import * as pages from './gateway/pages.ts'
import * as sandbox from './gateway/sandbox.ts'
import * as site from './gateway/site.ts'
import { payX402 } from './gateway/x402.ts'

/** What the door answers itself: networks, sandbox, pages, documents, dead letters, x402 sales. */
export const gatewayApi = serviceApi('gateway', {
  endpoints: { ...sandbox, ...operator, ...pages, ...site, payX402 },
  events: { clockAdvanced },
  consumes,
})
