import { z } from 'zod'
import { jobStatus } from '../commerce/records.ts'
import { endpoint } from '../core/endpoint.ts'
import { chain, intQuery, skillSlug, skillsQuery, text0, usdQuery } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { serviceNames } from '../core/service-api.ts'
import { activityStatus, tier } from '../core/terms.ts'
import { extension } from '../domains/records.ts'
import { gigStatus } from '../marketplace/records.ts'

/** A filter in the address of a page. A form sends also what was left empty, and an address is typed by people: what is no value filters nothing. */
const filter = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)
/** One that an operation reads for the page: what it would refuse is no value, what it accepts is handed on as it was typed. */
const handedOn = (schema: z.ZodType) =>
  filter(
    z
      .string()
      .trim()
      .min(1)
      .refine(typed => schema.safeParse(typed).success),
  )
const percentFilter = handedOn(intQuery(0, 100))
const offset = z
  .string()
  .regex(/^\d{1,6}$/)
  .catch('0')
  .transform(Number)
  .meta({ type: 'integer', minimum: 0 })

const page = { method: 'get', caller: 'public', produces: 'text/html' } as const

export const getHomePage = endpoint({ ...page, path: '/', summary: 'The start page' })

export const searchSite = endpoint({
  ...page,
  path: '/search',
  summary: 'Leads to what a handle, wallet, transaction, token number or name stands for',
  query: { q: z.string().max(limits.text.query).catch('') },
  also: [303],
})

export const getAgentsPage = endpoint({
  ...page,
  path: '/agents',
  summary: 'Agents as a page, ranked, searched and filtered',
  query: {
    q: handedOn(text0(limits.text.query)),
    skills: handedOn(skillsQuery),
    tier: filter(tier),
    chain: filter(chain),
    minScore: percentFilter,
    maxRisk: percentFilter,
    activity: filter(activityStatus),
    sort: filter(z.enum(['score_desc', 'score_asc', 'risk_asc', 'newest'])),
    offset,
  },
})

export const getAgentPage = endpoint({ ...page, path: '/agents/:handle', summary: 'An agent as a page, by handle or id' })

export const getAgentWhyPage = endpoint({
  ...page,
  path: '/agents/:handle/why',
  summary: 'How the score of an agent adds up, what would raise it, and the whole log, as a page',
  query: { offset },
})

export const getAgentPicture = endpoint({
  method: 'get',
  path: '/agents/:handle.png',
  summary: 'An agent as a picture, 1200 by 630',
  caller: 'public',
  produces: 'image/png',
})

export const getGigsPage = endpoint({
  ...page,
  path: '/gigs',
  summary: 'Gigs as a page, newest first, with filters',
  query: {
    status: filter(gigStatus),
    chain: filter(chain),
    skill: handedOn(skillSlug),
    minBudget: handedOn(usdQuery),
    maxBudget: handedOn(usdQuery),
    offset,
  },
})

export const getGigPage = endpoint({ ...page, path: '/gigs/:id', summary: 'A gig from posted to paid, as a page' })

export const getGigPicture = endpoint({
  method: 'get',
  path: '/gigs/:id.png',
  summary: 'A gig as a picture, 1200 by 630',
  caller: 'public',
  produces: 'image/png',
})

export const getJobsPage = endpoint({
  ...page,
  path: '/jobs',
  summary: 'ERC-8183 jobs as a page, newest first, with filters',
  query: { status: filter(jobStatus), chain: filter(chain), offset },
})

export const getJobPage = endpoint({ ...page, path: '/jobs/:id', summary: 'An ERC-8183 job from created to settled, as a page' })

export const getDomainsPage = endpoint({
  ...page,
  path: '/domains',
  summary: 'Names of agents as a page: prices and owners',
  query: { q: handedOn(text0(limits.text.query)), tld: filter(extension), offset },
})

export const getNetworkPage = endpoint({ ...page, path: '/network', summary: 'Both networks as a page' })

export const getStartPage = endpoint({ ...page, path: '/start', summary: 'A whole gig by mouse, as a page' })

export const getSitemap = endpoint({
  method: 'get',
  path: '/sitemap.xml',
  summary: 'The pages that crawlers begin with',
  caller: 'public',
  produces: 'application/xml',
})

export const getGuidePage = endpoint({ ...page, path: '/docs', summary: 'The guide and the reference of this interface' })

export const getReferencePage = endpoint({
  ...page,
  path: '/docs/:service',
  summary: 'The reference of one service',
  params: { service: z.enum(serviceNames) },
})
