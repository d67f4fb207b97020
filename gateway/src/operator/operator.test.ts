import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { get as rawGet, request as rawRequest } from 'node:http'
import { openDatabase } from '@carapace/store'
import { Wallet } from 'ethers'
import { cacheLimits } from '../cache/micro-cache.ts'
import { type GatewayOptions, startGateway } from '../start.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'
import { sessionCookie } from './cookie.ts'

const hostile = '<script>alert(1)</script>'
const gigId = randomUUID()
const [jobId, agentId] = [randomUUID(), randomUUID()]
const at = '2026-11-21T10:00:00.000Z'
const page = { total: 1, limit: 50, offset: 0 }
const job = {
  ...{ id: jobId, title: hostile, description: hostile, budgetUsdc: 12, chain: 'SKALE_TESTNET', posterAgentId: 'p', assigneeAgentId: 'a' },
  ...{ deliverableUrl: 'https://job-work', deliverableNote: hostile, disputeReason: 'the job is not done', disputedBy: 'p', validationId: 'w' },
}
/** What the services of this test have: a disputed gig and a disputed job, one failed command, one of each list. */
const answers: readonly [RegExp, unknown][] = [
  [/^\/api\/gigs\?/, [{ id: gigId }]],
  [/^\/api\/erc8183\/jobs\?/, { jobs: [job] }],
  [/^\/api\/swarm\/validations\/v$/, { id: 'v', status: 'rejected', appeal: { statement: `appealed ${hostile}`, deliverableUrl: 'https://again' } }],
  [/^\/api\/swarm\/validations\/w$/, { id: 'w', status: 'rejected', validators: [], appealId: null }],
  [/^\/api\/validations\/w\/votes/, { votes: [{ validatorId: 'x', vote: 'reject', reasoning: 'not in the job' }] }],
  [
    /^\/api\/admin\/migrations\?/,
    { migrations: [{ id: 'm', sourceHandle: 'old-me', targetHandle: 'new-me', evidence: hostile, expiresAt: at }], ...page },
  ],
  [/^\/api\/admin\/suspensions\?/, { suspensions: [{ agentId, handle: 'spammer', reason: hostile, suspendedAt: at }], ...page }],
  [/^\/api\/admin\/invites\?/, { invites: [{ usesLeft: 3, expiresAt: at, createdBy: `0x${'1'.repeat(40)}` }], ...page }],
  [
    /^\/api\/slashes\?/,
    { slashes: [{ id: 's', agentId, agent: { handle: 'bonded' }, amount: 5, reason: hostile, status: 'APPLIED', createdAt: at }] },
  ],
  [/^\/api\/agents\/spammer$/, { id: agentId, handle: 'spammer' }],
  [/^\/api\/gigs\//, { id: gigId, title: hostile, description: hostile, posterId: 'p', deliverable: { url: 'https://work', note: hostile } }],
  [/^\/api\/escrow\/[^/]*$/, { amount: 40, disputedBy: 'p', disputeReason: hostile }],
  [/^\/api\/swarm\/validations\?/, { validations: [{ id: 'v', status: 'rejected', appealId: 'z', appeal: null }] }],
  [/^\/api\/validations\/v\/votes/, { votes: [{ validatorId: 'w', vote: 'approve', reasoning: hostile }] }],
  [/^\/api\/admin\/chain-queue\?/, { commands: [{ commandId: 'gig-1', kind: 'escrow.lock', state: 'FAILED', round: 1 }] }],
]

describe('/operator', () => {
  const admin = Wallet.createRandom()
  const other = Wallet.createRandom()
  const open: Harness[] = []
  const start = async (env: Record<string, string>, more: Partial<GatewayOptions> = {}) => {
    const harness = await startHarness({ ORACLE_WALLET: other.address, ADMIN_WALLETS: admin.address, ...env }, more)
    open.push(harness)
    harness.upstream.answer = ({ url, context, method, body }, response) => {
      const found = method === 'GET' ? answers.find(([path]) => path.test(url)) : undefined
      json(response, 200, found ? found[1] : { context, body: String(body) })
    }
    return harness
  }
  let plain: Harness
  let signed: Harness

  before(async () => {
    plain = await start({})
    signed = await start({ AUTH_MODE: 'signed' })
  })
  after(async () => {
    for (const harness of open) await harness.close()
  })

  const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers, redirect: 'manual' })
  const send = (url: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      body: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(url).origin, accept: 'application/json', ...headers },
      redirect: 'manual',
    })
  const codeOf = async (answer: Response) => `${answer.status} ${((await answer.json()) as { code: string }).code}`
  const unescaped = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
  const messageOf = async (url: string, wallet = admin.address) =>
    unescaped(/<textarea[^>]*>([^<]*)</.exec(await (await get(`${url}/operator/sign-in?address=${wallet}`)).text())?.[1] ?? '')
  const signIn = async (url: string, message: string, signer = admin) =>
    send(`${url}/operator/sign-in`, { message, signature: await signer.signMessage(message) })
  const cookieOf = (answer: Response) => (answer.headers.get('set-cookie') ?? '').split(';')[0]!
  const session = async ({ url }: Harness) => {
    const cookie = cookieOf(await signIn(url, await messageOf(url)))
    const page = await (await get(`${url}/operator`, { cookie })).text()
    return { cookie, page, csrf: /name="csrf" value="([0-9a-f]+)"/.exec(page)?.[1] ?? '' }
  }
  const suspension = { id: randomUUID(), suspended: 'true', reason: 'because', key: randomUUID() }

  it('signs an admin in by a message of the wallet, and shows what there is, escaped', async () => {
    const answer = await signIn(plain.url, await messageOf(plain.url))
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/operator'])
    assert.match(answer.headers.get('set-cookie') ?? '', /^carapace-operator=[0-9a-f]{64}; Path=\/operator; HttpOnly; SameSite=Strict$/)

    // a browser sends the forms of a page without a referrer with `Origin: null`
    assert.equal((await get(`${plain.url}/operator/sign-in`)).headers.get('referrer-policy'), 'same-origin')
    const { page } = await session(plain)
    assert.ok(page.includes(admin.address) && page.includes('gig-1'), page)
    assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;') && !page.includes(hostile))
  })

  it('lists what waits for an operator, with the evidence of disputed gigs and jobs, before any service examines its books', async () => {
    const { reports, reportsRead } = plain.upstream
    reports.set('/internal/v1/sagas', { sagas: [{ record: 'escrow in locking', opKey: 'escrow.lock-1', round: 1, since: at }], total: 7 })
    reports.set('/internal/v1/doctor', { checks: [{ name: 'ledger', count: 1, detail: ['the row says 1, the accounts 2'] }] })
    const { page, cookie } = await session(plain)
    const part = (id: string) => page.split(`id="${id}"`)[1]!.split('</section>\n')[0]!

    const [ofJob, ofGig] = page.split('<article class="card dispute">').slice(1)
    for (const shown of ['12.00 USDC', 'https://job-work', 'the job is not done', 'not in the job', 'action="/operator/acts/settle"', jobId])
      assert.ok(ofJob!.includes(shown), `the job shows ${shown}`)
    for (const shown of ['40.00 USDC', 'https://again', 'appealed &lt;script&gt;', 'action="/operator/acts/resolve"', gigId])
      assert.ok(ofGig!.includes(shown), `the gig shows ${shown}`)
    assert.match(part('migrations'), /old-me[\s\S]*new-me[\s\S]*acts\/migration[\s\S]*value="m"/)
    assert.match(part('suspensions'), /spammer[\s\S]*acts\/suspend[\s\S]*value="false"/)
    assert.match(part('slashes'), /bonded[\s\S]*5\.00 USDC[\s\S]*acts\/reverse[\s\S]*value="s"/)
    assert.match(part('invites'), /<td>3<\/td>/)
    assert.match(part('sagas'), /escrow in locking[\s\S]*escrow\.lock-1/)
    assert.deepEqual([...new Set(reportsRead)], ['/internal/v1/sagas'])

    const doctor = await (await get(`${plain.url}/operator/doctor`, { cookie })).text()
    assert.ok(doctor.includes('the row says 1, the accounts 2') && doctor.includes('id="doctor"'), doctor)
    assert.equal((await get(`${plain.url}/operator/doctor`)).headers.get('location'), '/operator/sign-in')
  })

  it('decides a disputed job, and finds an agent by its handle', async () => {
    const { url, upstream } = plain
    const { cookie, csrf } = await session(plain)
    const acted = async (name: string, form: Record<string, string>) => {
      upstream.seen.length = 0
      await send(`${url}/operator/acts/${name}`, { csrf, key: randomUUID(), ...form }, { cookie })
      const call = upstream.seen.find(({ method }) => method === 'POST')
      return [call?.url, JSON.parse(String(call?.body))]
    }

    assert.deepEqual(await acted('settle', { jobId, outcome: 'reject', reason: 'it is empty' }), [
      `/api/erc8183/jobs/${jobId}/settle`,
      { outcome: 'reject', reason: 'it is empty' },
    ])
    assert.deepEqual(await acted('suspend', { id: '@spammer', suspended: 'true', reason: 'spam' }), [
      `/api/admin/agents/${agentId}/suspend`,
      { suspended: true, reason: 'spam' },
    ])
  })

  it('says to people in words what it refuses, and to programs as every other address', async () => {
    const link = `${plain.url}/operator/enter?token=guess`
    const page = await get(link, { accept: 'text/html,*/*' })

    assert.deepEqual([page.status, page.headers.get('content-type')], [401, 'text/html; charset=utf-8'])
    assert.match(await page.text(), /This link has been used or is over/)
    assert.equal(await codeOf(await get(link)), '401 AUTH_REQUIRED')
  })

  it('leads to the sign-in without a session', async () => {
    const answer = await get(`${plain.url}/operator`)

    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/operator/sign-in'])
  })

  it('refuses a message that was used, is of another place, chain, time or wallet, or is none', async () => {
    const { url } = plain
    const refusedWith = async (change: (message: string) => string, signer = admin) => codeOf(await signIn(url, change(await messageOf(url)), signer))
    const used = await messageOf(url)
    await signIn(url, used)

    assert.equal(await codeOf(await signIn(url, used)), '401 SIGNATURE_REPLAYED')
    assert.equal(await refusedWith(text => text.replace(/Nonce: .*/, 'Nonce: abcdefgh12345678')), '401 SIGNATURE_REPLAYED')
    assert.equal(await refusedWith(text => text.replace(/^\S+/, 'evil.example')), '401 SIGNATURE_INVALID')
    assert.equal(await refusedWith(text => text.replace(/URI: .*/, 'URI: https://evil.example/operator')), '401 SIGNATURE_INVALID')
    assert.equal(await refusedWith(text => text.replace(/Chain ID: .*/, 'Chain ID: 1')), '401 SIGNATURE_INVALID')
    assert.equal(await refusedWith(text => text.replace(/Expiration Time: .*/, 'Expiration Time: 2020-01-01T00:00:00.000Z')), '401 SIGNATURE_EXPIRED')
    assert.equal(await refusedWith(text => text, other as typeof admin), '401 SIGNATURE_INVALID')
    assert.equal(await refusedWith(() => 'let me in'), '401 SIGNATURE_INVALID')
    assert.equal(await refusedWith(text => text.replace(admin.address, other.address), other as typeof admin), '403 NOT_ADMIN')
    assert.equal(await codeOf(await get(`${url}/operator/sign-in?address=${other.address}`)), '403 NOT_ADMIN')
  })

  it('accepts the contract wallet of an admin, when its contract does', async () => {
    const { url, upstream } = plain

    upstream.contractAccepts = true
    const accepted = await signIn(url, await messageOf(url), other as typeof admin)
    upstream.contractAccepts = false

    assert.equal(accepted.status, 303)
    assert.equal(await codeOf(await signIn(url, await messageOf(url), other as typeof admin)), '401 SIGNATURE_INVALID')
  })

  it('holds a session that no other path knows', async () => {
    const { cookie } = await session(signed)

    assert.equal(await codeOf(await get(`${signed.url}/api/admin/dead-letters`, { cookie })), '401 AUTH_REQUIRED')
    assert.equal(
      await codeOf(await get(`${signed.url}/api/admin/dead-letters`, { cookie, 'x-admin-wallet': admin.address })),
      '401 SIGNATURE_REQUIRED',
    )
    assert.equal(await codeOf(await get(`${plain.url}/api/admin/dead-letters`, { cookie: (await session(plain)).cookie })), '401 AUTH_REQUIRED')
  })

  it('acts for the admin with the form of this session from its own page only', async () => {
    const { url, upstream } = plain
    const { cookie, csrf } = await session(plain)
    const foreign = (await session(plain)).csrf
    const suspend = `${url}/operator/acts/suspend`

    assert.equal(await codeOf(await send(suspend, suspension, { cookie })), '403 FORBIDDEN')
    assert.equal(await codeOf(await send(suspend, { ...suspension, csrf: foreign }, { cookie })), '403 FORBIDDEN')
    assert.equal(await codeOf(await send(suspend, { ...suspension, csrf }, { cookie, origin: 'https://evil.example' })), '403 FORBIDDEN')
    assert.equal(await codeOf(await send(suspend, { ...suspension, csrf }, { cookie, 'sec-fetch-site': 'cross-site' })), '403 FORBIDDEN')
    assert.equal(await codeOf(await send(suspend, { ...suspension, csrf })), '401 AUTH_REQUIRED')
    assert.equal(await codeOf(await send(`${url}/operator/acts/drain`, { csrf }, { cookie })), '404 ROUTE_NOT_FOUND')
    upstream.seen.length = 0
    const done = await send(suspend, { ...suspension, csrf }, { cookie })

    assert.equal(done.status, 200)
    const [seen] = upstream.seen
    assert.deepEqual([upstream.seen.length, seen?.method, seen?.url], [1, 'POST', `/api/admin/agents/${suspension.id}/suspend`])
    assert.deepEqual(JSON.parse(String(seen?.body)), { suspended: true, reason: 'because' })
    assert.deepEqual(seen?.context?.admin, { kind: 'admin', wallet: admin.address })
    assert.match(await (await get(`${url}/operator`, { cookie })).text(), /because/)
  })

  it('carries an act out once, however often its form is sent: each form has a key of its own', async () => {
    const { url, upstream } = plain
    const { cookie, csrf, page } = await session(plain)
    const keys = [
      ...page.matchAll(/action="\/operator\/acts\/[^>]*>(?:<input type="hidden"[^>]*>)*?<input type="hidden" name="key" value="([0-9a-f-]{36})">/g),
    ]
    const forms = page.match(/action="\/operator\/acts\//g)
    assert.deepEqual([keys.length, new Set(keys.map(([, key]) => key)).size], [forms?.length, forms?.length])

    const slash = { csrf, key: keys[0]![1]!, agentId, amount: '5', reason: 'late "again" & again' }
    const path = `${url}/operator/acts/slash`
    upstream.seen.length = 0
    for (let i = 0; i < 2; i++) await send(path, slash, { cookie })
    assert.deepEqual(
      upstream.seen.map(({ context }) => context?.idempotencyKey),
      [slash.key, slash.key],
    )
    assert.equal(await codeOf(await send(path, { ...slash, key: '' }, { cookie })), '400 VALIDATION_ERROR')

    // nobody knows whether it was done: what is offered then is the same act under the same key
    const usual = upstream.answer
    upstream.answer = (_, response) => void response.destroy()
    const lost = await send(path, slash, { cookie, accept: 'text/html' })
    upstream.answer = usual
    const again = /<form class="act"[\s\S]*?<\/form>/.exec(await lost.text())?.[0] ?? ''
    assert.equal(lost.status, 503)
    const repeated = [...again.matchAll(/<input[^>]*name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, unescaped(value!)])
    assert.deepEqual(Object.fromEntries(repeated), slash)
    assert.match(again, /action="\/operator\/acts\/slash"/)
  })

  it('leaves no answer in memory that an act may have changed', async () => {
    const harness = await start({}, { cacheLimits: { ...cacheLimits, lifetimeMs: 3_600_000 } })
    const { url, upstream } = harness
    const { cookie, csrf } = await session(harness)
    let version = 1
    upstream.answer = (_, response) => json(response, 200, [version], { 'cache-control': 'public, max-age=1' })
    const agents = async () => (await harness.call('GET', '/api/agents')).body[0]
    await agents()
    version = 2
    assert.equal(await agents(), 1)

    await send(`${url}/operator/acts/suspend`, { ...suspension, csrf }, { cookie })

    assert.equal(await agents(), 2)
  })

  it('needs a signature of the wallet for each act in signed mode', async () => {
    const { url, upstream } = signed
    const { cookie, csrf } = await session(signed)
    const form = { ...suspension, csrf }
    const path = '/operator/acts/suspend'
    const headersBy = async (signer: { address: string; signMessage(text: string): Promise<string> }, of = form) => {
      const digest = `sha-256=:${createHash('sha256').update(new URLSearchParams(of).toString()).digest('base64')}:`
      const created = Math.floor(Date.now() / 1000)
      const parameters = `("@authority" "@method" "@path" "content-digest");created=${created};expires=${created + 60};nonce="${randomUUID()}";keyid="erc8128:84532:${signer.address.toLowerCase()}"`
      const lines = [
        `"@authority": ${new URL(url).host}`,
        '"@method": POST',
        `"@path": ${path}`,
        `"content-digest": ${digest}`,
        `"@signature-params": ${parameters}`,
      ]
      const signature = Buffer.from((await signer.signMessage(lines.join('\n'))).slice(2), 'hex').toString('base64')
      return { cookie, 'content-digest': digest, 'signature-input': `eth=${parameters}`, signature: `eth=:${signature}:` }
    }

    assert.equal(await codeOf(await send(url + path, form, { cookie })), '401 SIGNATURE_REQUIRED')
    assert.equal(await codeOf(await send(url + path, form, await headersBy(other))), '401 SIGNATURE_INVALID')
    assert.equal(await codeOf(await send(url + path, form, await headersBy(admin, { ...form, suspended: 'false' }))), '401 SIGNATURE_INVALID')
    const headers = await headersBy(admin)
    const done = await send(url + path, form, headers)

    assert.equal(done.status, 200)
    assert.equal(upstream.seen.at(-1)?.context?.signedBy, admin.address)
    assert.equal(await codeOf(await send(url + path, form, headers)), '401 SIGNATURE_REPLAYED')
  })

  it('ends a session at sign-out, after half an hour without a request, and when the wallet is no admin any more', async () => {
    const { url } = plain
    const isOpen = async (cookie: string, at = url) => (await get(`${at}/operator`, { cookie })).status === 200
    const [left, idle, dropped] = [await session(plain), await session(plain), await session(plain)]

    await send(`${url}/operator/sign-out`, { csrf: left.csrf }, { cookie: left.cookie })
    assert.equal(await isOpen(left.cookie), false)

    const db = await openDatabase({ uri: plain.mongo.uri, name: `${plain.mongo.prefix}carapace_gateway` })
    const token = `session ${createHash('sha256').update(idle.cookie.split('=')[1]!).digest('hex')}`
    const sessions = db.connection.collection<{ _id: string; expireAt: Date }>('operator_sessions')
    const stored = await sessions.findOne({ _id: token })
    const idleMinutes = (stored!.expireAt.getTime() - Date.now()) / 60_000
    await sessions.updateOne({ _id: token }, { $set: { expireAt: new Date() } })
    await db.close()
    assert.ok(idleMinutes > 0 && idleMinutes <= 30, String(idleMinutes))
    assert.equal(await isOpen(idle.cookie), false)

    const config = { ...plain.options.config, ADMIN_WALLETS: [other.address] }
    const second = await startGateway({ ...plain.options, config })
    assert.equal(await isOpen(dropped.cookie, second.url), false)
    await second.close()
    assert.equal(await isOpen(dropped.cookie), false)
  })

  it('is entered by the link of the start once, and from this machine only', async () => {
    const link = await plain.gateway.operatorLink()
    const other = await plain.gateway.operatorLink()

    assert.equal(await codeOf(await get(other!, { 'x-forwarded-for': '127.0.0.1' })), '404 ROUTE_NOT_FOUND')
    assert.equal(await codeOf(await get(other!, { forwarded: 'for=1.2.3.4' })), '404 ROUTE_NOT_FOUND')
    const foreign = await new Promise<number | undefined>((resolve, reject) => {
      rawGet(other!, { headers: { host: 'evil.example' } }, answer => resolve(answer.resume().statusCode)).once('error', reject)
    })
    assert.equal(foreign, 403)
    assert.equal((await get(other!)).status, 303)
    const entered = await get(link!)
    assert.equal(entered.status, 303)
    assert.equal((await get(`${plain.url}/operator`, { cookie: cookieOf(entered) })).status, 200)
    assert.equal(await codeOf(await get(link!)), '401 AUTH_REQUIRED')
    assert.equal(await codeOf(await get(`${plain.url}/operator/enter?token=guess`)), '401 AUTH_REQUIRED')
  })

  it('holds against a page of another site over https, and against a cookie that is sent to the interface', async () => {
    const origin = 'https://carapace.example'
    const overHttps = await start({ PUBLIC_BASE_URL: origin, AUTH_MODE: 'signed' })
    const request = (method: string, path: string, headers: Record<string, string> = {}, form?: Record<string, string>) =>
      new Promise<{ status: number; text: string; cookie: string }>((resolve, reject) => {
        const type = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
        const sent = rawRequest(overHttps.url + path, { method, headers: { host: 'carapace.example', ...type, ...headers } }, answer => {
          let text = ''
          answer.on('data', (chunk: Buffer) => {
            text += chunk
          })
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, cookie: answer.headers['set-cookie']?.[0] ?? '' }))
        })
        sent.once('error', reject)
        sent.end(form && new URLSearchParams(form).toString())
      })
    const { text } = await request('GET', `/operator/sign-in?address=${admin.address}`)
    const message = unescaped(/<textarea[^>]*>([^<]*)</.exec(text)?.[1] ?? '')
    assert.match(message, /^carapace\.example wants you to sign in[\s\S]*URI: https:\/\/carapace\.example\/operator/)
    const signed = { message, signature: await admin.signMessage(message) }
    // a page of another site cannot sign this browser in as somebody else
    assert.equal((await request('POST', '/operator/sign-in', { origin: 'https://evil.example' }, signed)).status, 403)
    const entered = await request('POST', '/operator/sign-in', { origin }, signed)
    assert.match(entered.cookie, /^__Host-carapace-operator=[0-9a-f]{64}; Path=\/; Secure; HttpOnly; SameSite=Strict$/)
    const cookie = entered.cookie.split(';')[0]!
    const page = await request('GET', '/operator', { cookie })
    const csrf = /name="csrf" value="([0-9a-f]+)"/.exec(page.text)?.[1] ?? ''
    const suspend = async (headers: Record<string, string>, sentCookie = cookie) => {
      const { status, text } = await request('POST', '/operator/acts/suspend', { cookie: sentCookie, ...headers }, { ...suspension, csrf })
      return `${status} ${JSON.parse(text).code}`
    }

    overHttps.upstream.seen.length = 0
    // its own page comes as far as the signature that is missing
    assert.equal(await suspend({ origin }), '401 SIGNATURE_REQUIRED')
    for (const foreign of [
      {},
      { origin: 'null' },
      { origin: 'http://carapace.example' },
      { origin: `${origin}.evil.example` },
      { origin: `${origin}:444` },
    ])
      assert.equal(await suspend(foreign as Record<string, string>), '403 FORBIDDEN', JSON.stringify(foreign))
    assert.equal(await suspend({ origin, 'sec-fetch-site': 'same-site' }), '403 FORBIDDEN')
    // a cookie of a neighbouring host under the same name makes neither of the two count
    assert.equal(await suspend({ origin }, `${cookie}; __Host-carapace-operator=${'0'.repeat(64)}`), '401 AUTH_REQUIRED')
    assert.equal(await suspend({ origin }, cookie.replace('__Host-', '')), '401 AUTH_REQUIRED')
    for (const path of ['/operator/acts/suspend', '/operator/sign-out']) assert.equal((await request('GET', path, { cookie })).status, 405)
    for (const [method, path] of [
      ['GET', '/api/admin/dead-letters'],
      ['GET', '/api/admin/suspensions'],
      ['POST', `/api/admin/agents/${suspension.id}/suspend`],
    ] as const)
      for (const named of [{}, { 'x-admin-wallet': admin.address }])
        assert.equal((await request(method, path, { cookie, origin, ...named } as Record<string, string>)).status, 401, path)
    assert.deepEqual(
      overHttps.upstream.seen.filter(({ method }) => method === 'POST'),
      [],
    )
  })

  it('binds its cookie to the host over https, and has none over http elsewhere', () => {
    const cookie = sessionCookie('https://carapace.example')!

    assert.equal(cookie.set('t'), '__Host-carapace-operator=t; Path=/; Secure; HttpOnly; SameSite=Strict')
    assert.equal(sessionCookie('http://carapace.example'), undefined)
  })
})
