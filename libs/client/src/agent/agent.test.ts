import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { type Carapace, connect, type Deliverable, type Identity, type RetryOptions } from '../index.ts'

type Answer = unknown | ((body: Record<string, unknown>) => unknown)
const refusal = (code: string, status = 409) => new Response(JSON.stringify({ code, message: 'no', status }), { status })

/** A platform that answers by method and path, and what it received. */
function platform(
  answers: Record<string, Answer>,
  retry?: RetryOptions,
  identity: Identity = { agentId: 'me', walletAddress: '0x1' },
): { client: Carapace; received: [call: string, body: unknown][] } {
  const received: [string, unknown][] = []
  const send: typeof fetch = async (input, init) => {
    const call = `${init?.method} ${new URL(String(input)).pathname}`
    const body = init?.body ? JSON.parse(String(init.body)) : undefined
    if (init?.method !== 'GET') received.push([call, body])
    const prepared = answers[call]
    const answer = typeof prepared === 'function' ? await prepared(body) : prepared
    if (answer === undefined) return refusal('NOT_FOUND', 404)
    return answer instanceof Response ? answer.clone() : new Response(JSON.stringify(answer))
  }
  return {
    client: connect({ baseUrl: 'http://host', identity, fetch: send, ...(retry ? { retry } : {}) }),
    received,
  }
}

const stream = 'GET /api/agents/me/notifications/stream'
const none = { [stream]: refusal('NOT_FOUND', 404), 'POST /api/agent-heartbeat': {} }
const gig = (id: string, more: object = {}) => ({ id, title: id, posterId: 'other', escrowStatus: 'locked', ...more })
const calls = (received: [string, unknown][]) => received.filter(([call]) => !call.includes('heartbeat'))

describe('work', () => {
  const market = (open: object[], assigned: object[] = []) => ({
    ...none,
    'GET /api/agents/me/gigs': { gigs: assigned },
    'GET /api/agents/me/offers': { offers: [] },
    'GET /api/gigs': open,
  })

  it('applies once for what it accepts, never for its own', async () => {
    const end = new AbortController()
    let rounds = 0
    const { client, received } = platform({
      ...market([gig('a'), gig('b'), gig('mine', { posterId: 'me' }), gig('known')]),
      'GET /api/agents/me/offers': () => {
        if (++rounds === 3) end.abort()
        return { offers: [] }
      },
      'POST /api/gigs/a/apply': {},
      'POST /api/gigs/known/apply': refusal('ALREADY_APPLIED'),
    })

    await client.work({ onGig: () => ({}), accepts: ({ id }) => id !== 'b', proposal: ({ title }) => `for ${title}`, everyMs: 1, signal: end.signal })

    assert.deepEqual(calls(received), [
      ['POST /api/gigs/a/apply', { proposal: 'for a' }],
      ['POST /api/gigs/known/apply', { proposal: 'for known' }],
    ])
  })

  it('applies again where that failed for a cause that passes', async () => {
    const end = new AbortController()
    const passing = new Response(JSON.stringify({ code: 'CONFLICT', message: 'no', status: 409, retryable: true }), { status: 409 })
    const answers = [passing, {}]
    const { client, received } = platform(
      {
        ...market([gig('a')]),
        'POST /api/gigs/a/apply': () => {
          const answer = answers.shift()
          if (answers.length === 0) end.abort()
          return answer
        },
      },
      { tries: 1 },
    )

    await client.work({ onGig: () => ({}), everyMs: 1, signal: AbortSignal.any([end.signal, AbortSignal.timeout(20_000)]) })

    assert.equal(calls(received).length, 2)
  })

  it('does the work of gigs whose budget is locked', async () => {
    const end = new AbortController()
    const { client, received } = platform({
      ...market([], [gig('a'), gig('unpaid', { escrowStatus: 'none' })]),
      'POST /api/gigs/a/submit-deliverable': () => {
        end.abort()
        return {}
      },
    })
    const onGig = async ({ id }: { id: string }): Promise<Deliverable> => ({ deliverableNote: `done: ${id}` })

    await client.work({ onGig, everyMs: 1, signal: end.signal })

    assert.deepEqual(calls(received), [['POST /api/gigs/a/submit-deliverable', { deliverableNote: 'done: a' }]])
  })

  it('says that it is there while it works', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const end = new AbortController()
    let beats = 0
    const answers = { ...market([], [gig('a')]), 'POST /api/gigs/a/submit-deliverable': {} }
    const { client } = platform({ ...answers, 'POST /api/agent-heartbeat': () => ({ beats: ++beats }) })
    /** Work of a quarter of an hour. */
    const onGig = async (): Promise<Deliverable> => {
      for (let minute = 0; minute < 15; minute++) {
        mock.timers.tick(60_000)
        for (let n = 0; n < 20; n++) await new Promise(setImmediate)
      }
      end.abort()
      return { deliverableNote: 'done' }
    }

    await client.work({ onGig, signal: end.signal }).finally(() => mock.timers.reset())

    assert.equal(beats, 4)
  })

  it('accepts no more gigs than it may have', async () => {
    const end = new AbortController()
    let rounds = 0
    const { client, received } = platform({
      ...market([gig('open')], [gig('a', { escrowStatus: 'none' }), gig('b', { escrowStatus: 'none' })]),
      'GET /api/agents/me/offers': () => ({ offers: [{ id: 'o', gigId: 'open' }] }),
      'GET /api/agents/me/gigs': () => {
        if (++rounds === 3) end.abort()
        return { gigs: [gig('a', { escrowStatus: 'none' }), gig('b', { escrowStatus: 'none' })] }
      },
    })

    await client.work({ onGig: () => ({}), mostGigs: 2, everyMs: 1, signal: end.signal })

    assert.deepEqual(calls(received), [])
  })

  it('goes on where a gig demands more than it has, and leaves an offer alone whose acceptance was refused', async () => {
    const end = new AbortController()
    let rounds = 0
    const offers = [1, 2].map(n => ({ id: `o${n}`, gigId: `g${n}` }))
    const { client, received } = platform({
      ...market([gig('crew'), gig('risky')]),
      'GET /api/agents/me/offers': () => {
        if (++rounds === 3) end.abort()
        return { offers }
      },
      'GET /api/gigs/g1': gig('g1'),
      'GET /api/gigs/g2': gig('g2'),
      'POST /api/offers/o1/respond': refusal('INSUFFICIENT_BOND', 403),
      'POST /api/offers/o2/respond': refusal('CREW_NOT_ELIGIBLE', 403),
      'POST /api/gigs/crew/apply': refusal('CREW_NOT_ELIGIBLE', 403),
      'POST /api/gigs/risky/apply': refusal('RISK_TOO_HIGH', 403),
    })

    await client.work({ onGig: () => ({}), everyMs: 1, signal: end.signal })

    assert.deepEqual(
      calls(received).map(([call]) => call),
      ['POST /api/offers/o1/respond', 'POST /api/offers/o2/respond', 'POST /api/gigs/crew/apply', 'POST /api/gigs/risky/apply'],
    )
  })

  it('tries a refused offer again when its gig may not demand too much any more', async () => {
    mock.timers.enable({ apis: ['Date'] })
    const end = new AbortController()
    const answers = [refusal('INSUFFICIENT_BOND', 403), {}]
    const { client } = platform({
      ...market([]),
      'GET /api/agents/me/offers': () => {
        mock.timers.tick(300_000)
        return { offers: [{ id: 'o', gigId: 'g' }] }
      },
      'GET /api/gigs/g': gig('g'),
      'POST /api/offers/o/respond': () => {
        const answer = answers.shift()
        if (answers.length === 0) end.abort()
        return answer
      },
    })

    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(20_000)])
    await client.work({ onGig: () => ({}), everyMs: 1, signal }).finally(() => mock.timers.reset())

    assert.deepEqual(answers, [])
  })

  it('ends where its account is suspended', async () => {
    const { client } = platform({ ...market([gig('a')]), 'POST /api/gigs/a/apply': refusal('ACCOUNT_SUSPENDED', 403) })

    await assert.rejects(client.work({ onGig: () => ({}), everyMs: 1 }), { code: 'ACCOUNT_SUSPENDED' })
  })

  it('ends with what its program throws, unless it says what to do then', async () => {
    const broken = () => {
      throw new Error('no idea')
    }
    const { client } = platform(market([], [gig('a')]))
    await assert.rejects(client.work({ onGig: broken, everyMs: 1 }), /no idea/)

    const end = new AbortController()
    const errors: unknown[] = []
    const onError = (error: unknown) => {
      if (errors.push(error) === 2) end.abort()
    }
    await client.work({ onGig: broken, everyMs: 1, onError, signal: end.signal })
    assert.equal(errors.length, 2)
  })
})

describe('validate', () => {
  it('votes as its program judges, with the gig at hand', async () => {
    const end = new AbortController()
    const { client, received } = platform({
      ...none,
      'GET /api/agents/me/swarm/pending-votes': { pendingVotes: [{ validationId: 'v' }, { validationId: 'late' }] },
      'GET /api/swarm/validations/v': { id: 'v', gigId: 'g' },
      'GET /api/swarm/validations/late': { id: 'late', gigId: null },
      'GET /api/gigs/g': gig('g'),
      'POST /api/swarm/vote': ({ validationId }: Record<string, unknown>) => {
        if (validationId !== 'late') return {}
        end.abort()
        return refusal('VALIDATION_RESOLVED')
      },
    })

    await client.validate({ judge: found => (found.gig ? 'approve' : { vote: 'reject', reasoning: 'no gig' }), everyMs: 1, signal: end.signal })

    assert.deepEqual(calls(received), [
      ['POST /api/swarm/vote', { validationId: 'v', voterId: 'me', vote: 'approve' }],
      ['POST /api/swarm/vote', { validationId: 'late', voterId: 'me', vote: 'reject', reasoning: 'no gig' }],
    ])
  })

  it('goes on with the next vote where its seat was replaced', async () => {
    const end = new AbortController()
    const { client } = platform({
      ...none,
      'GET /api/agents/me/swarm/pending-votes': { pendingVotes: [{ validationId: 'lost' }, { validationId: 'v' }] },
      'GET /api/swarm/validations/lost': { id: 'lost', gigId: null },
      'GET /api/swarm/validations/v': { id: 'v', gigId: null },
      'POST /api/swarm/vote': ({ validationId }: Record<string, unknown>) => {
        if (validationId === 'lost') return refusal('NOT_VALIDATOR', 403)
        end.abort()
        return {}
      },
    })

    await client.validate({ judge: () => 'approve', everyMs: 1, signal: end.signal })

    assert.ok(end.signal.aborted)
  })
})

describe('hire', () => {
  const stages = (...gigs: object[]) => {
    let shown = 0
    return () => gig('g', { posterId: 'me', validationId: null, ...gigs[Math.min(shown++, gigs.length - 1)] })
  }
  const settled = {
    'GET /api/swarm/validations/v': { id: 'v', status: 'approved' },
    'GET /api/escrow/g': { status: 'released' },
    'GET /api/trust-receipts/gigs/g': { netPaid: 24.25 },
  }
  const done = { status: 'completed', validationId: 'v' }

  it('goes on with a gig from where it is: nothing is posted, accepted or locked twice', async () => {
    const assigned = { status: 'assigned', escrowStatus: 'none' }
    const { client, received } = platform({
      ...settled,
      'GET /api/gigs/g': stages(assigned, { status: 'assigned' }, { status: 'pending_validation' }, done),
      'POST /api/agent-payments/fund-escrow': {},
    })
    const steps: string[] = []

    const { receipt } = await client.hire({ gigId: 'g', onProgress: ({ step }) => void steps.push(step) })

    assert.equal(receipt?.netPaid, 24.25)
    assert.deepEqual(received, [['POST /api/agent-payments/fund-escrow', { gigId: 'g', agentId: 'me' }]])
    assert.deepEqual(steps, ['funded', 'delivered', 'judged'])
  })

  it('does nothing more for one that is over', async () => {
    const { client, received } = platform({ ...settled, 'GET /api/gigs/g': stages(done) })

    assert.equal((await client.hire({ gigId: 'g' })).gig.status, 'completed')
    assert.deepEqual(received, [])
  })

  it('chooses among all who have applied, and accepts an offer that came first', async () => {
    const applicant = (n: number) => ({ agentId: `a${n}`, agent: { fusedScore: n } })
    const pages = [Array.from({ length: 100 }, (_, n) => applicant(n)), [applicant(100)]]
    const { client, received } = platform({
      ...settled,
      'POST /api/gigs': gig('g'),
      'GET /api/gigs/g': stages({ status: 'open' }, { status: 'open' }, done),
      'GET /api/gigs/g/applicants': () => ({ applicants: pages.shift() }),
      'POST /api/gigs/g/accept-applicant': refusal('INVALID_STATE'),
    })

    await client.hire({ gig: { title: 't', description: 'd', budget: 25 } })

    assert.deepEqual(received.at(-1), ['POST /api/gigs/g/accept-applicant', { applicantAgentId: 'a100' }])
  })

  it('accepts another applicant where the chosen one is refused', async () => {
    const applicants = ['bondless', 'crewless', 'suspended', 'able'].map((agentId, n) => ({ agentId, agent: { fusedScore: 9 - n } }))
    const refusals: Record<string, string> = { bondless: 'INSUFFICIENT_BOND', crewless: 'CREW_NOT_ELIGIBLE', suspended: 'ACCOUNT_SUSPENDED' }
    let isAssigned = false
    const { client, received } = platform({
      ...settled,
      'GET /api/gigs/g': () => gig('g', isAssigned ? done : { status: 'open', validationId: null }),
      'GET /api/gigs/g/applicants': { applicants },
      'GET /api/agents/suspended': { status: 'suspended' },
      'POST /api/gigs/g/accept-applicant': ({ applicantAgentId }: Record<string, unknown>) => {
        const code = refusals[String(applicantAgentId)]
        isAssigned = code === undefined
        return code === undefined ? {} : refusal(code, 403)
      },
    })

    await client.hire({ gigId: 'g' })

    assert.deepEqual(
      received.map(([, body]) => (body as { applicantAgentId: string }).applicantAgentId),
      ['bondless', 'crewless', 'suspended', 'able'],
    )
  })

  it('is refused where the account of the poster is suspended', async () => {
    const { client } = platform({
      'GET /api/gigs/g': gig('g', { status: 'open', validationId: null }),
      'GET /api/gigs/g/applicants': { applicants: [{ agentId: 'a', agent: { fusedScore: 1 } }] },
      'GET /api/agents/a': { status: 'active' },
      'POST /api/gigs/g/accept-applicant': refusal('ACCOUNT_SUSPENDED', 403),
    })

    await assert.rejects(client.hire({ gigId: 'g' }), { code: 'ACCOUNT_SUSPENDED' })
  })

  it('ends as soon as nobody can deliver any more', async () => {
    for (const status of ['open', 'assigned']) {
      const { client } = platform({
        'GET /api/gigs/g': stages({ status }, { status: 'cancelled', closeReason: 'expired' }),
        'GET /api/gigs/g/applicants': { applicants: [] },
      })

      await assert.rejects(client.hire({ gigId: 'g' }), { name: 'EndedError', message: /cancelled \(expired\)/ }, status)
    }
  })
})

describe('registering', () => {
  const profile = { id: 'me', preferredChain: 'BASE_SEPOLIA', chains: { BASE_SEPOLIA: { registered: true } } }
  const newAgent = { walletAddress: '0x1' }

  it('goes on as the agent that the wallet has already, also where its handle is found first', async () => {
    for (const code of ['DUPLICATE_WALLET', 'DUPLICATE_HANDLE']) {
      const answers = { 'POST /api/register-agent': refusal(code), 'GET /api/wallets/0x1/agent': profile, 'GET /api/agents/me': profile }
      const { client } = platform(answers, undefined, newAgent)

      assert.equal((await client.register({ handle: 'mine' })).id, 'me', code)
    }
  })

  it('is not refused for good where the agent of the wallet cannot be read now', async () => {
    const answers = { 'POST /api/register-agent': refusal('DUPLICATE_WALLET'), 'GET /api/wallets/0x1/agent': refusal('DEPENDENCY_UNAVAILABLE', 503) }
    const { client } = platform(answers, { tries: 1 }, newAgent)

    await assert.rejects(client.register({ handle: 'mine' }), { code: 'DEPENDENCY_UNAVAILABLE', isRetryable: true })
  })

  it('is refused where the handle is of another', async () => {
    const { client } = platform({ 'POST /api/register-agent': refusal('DUPLICATE_HANDLE') }, undefined, newAgent)

    await assert.rejects(client.register({ handle: 'theirs' }), { code: 'DUPLICATE_HANDLE' })
  })
})

describe('waiting', () => {
  it('ends with what is final', async () => {
    const cancelled = gig('g', { status: 'cancelled', closeReason: 'withdrawn', validationId: null })
    const failed = { preferredChain: 'BASE_SEPOLIA', chains: { BASE_SEPOLIA: { registered: false } }, onChain: { status: 'failed', error: 'no gas' } }
    const { client } = platform({ 'GET /api/gigs/g': cancelled, 'GET /api/escrow/g': { status: 'unfunded' }, 'GET /api/agents/me': failed })

    await assert.rejects(client.waitFor.verdict('g'), { name: 'EndedError', message: /cancelled \(withdrawn\)/ })
    await assert.rejects(client.waitFor.payment('g'), { name: 'EndedError', message: /unfunded/ })
    await assert.rejects(client.waitFor.registration('me'), { name: 'EndedError', message: /no gas/ })
  })
})
