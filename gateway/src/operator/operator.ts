import { type AdminCaller, chains, Refusal, refuse } from '@carapace/api'
import type { Peers } from '@carapace/service'
import type { Request, Response } from 'express'
import type { MicroCache } from '../cache/micro-cache.ts'
import { type AdminRules, sameSecret } from '../identity/admin-caller.ts'
import type { AdminLog } from '../identity/admin-log.ts'
import type { VerifySignature } from '../identity/signature.ts'
import type { RateLimits } from '../rate/limits.ts'
import type { RawHeaders } from '../request/headers.ts'
import { hostName, isLoopback, ownHost, type Peer } from '../request/request.ts'
import type { AssetPaths } from '../web/assets.ts'
import type { Site } from '../web/layout.ts'
import { repeatForm } from './act-form.ts'
import { type ActName, actOf, callOf, keyOf, withAgentIds } from './acts.ts'
import type { CallParts, Operator } from './call.ts'
import { carriedOut, mayBeSentAgain, unansweredAct } from './carry-out.ts'
import { csrfTokenOf, sessionCookie } from './cookie.ts'
import { doctorPage } from './doctor-page.ts'
import { operatorPage } from './operator-page.ts'
import { answerPage, outcomePage, refusedPage } from './page.ts'
import { facts, readsOf } from './read.ts'
import { messageFor, type Place, signedIn } from './sign-in.ts'
import { signInPage } from './sign-in-page.ts'
import type { OperatorStore } from './store.ts'

export interface OperatorParts extends CallParts {
  /** A session alone changes nothing: the wallet signs each act. */
  mustSign: boolean
  publicBaseUrl: string
  /** Of the files of the site. */
  paths: AssetPaths
  clock: { now(): Date; offsetMs(): number }
  store: OperatorStore
  admins: AdminRules
  adminLog: AdminLog
  cache: Pick<MicroCache, 'drop'>
  verifySignature: VerifySignature
  rates: Pick<RateLimits, 'byUnrouted' | 'checkAdmin' | 'failedAdmin'>
  peers: Peers
  newId(): string
}

/** One request under /operator. */
export interface Visit {
  path: string
  query: string
  peer: Peer
  requestId: string
  body: () => Promise<Buffer | undefined>
  headers: RawHeaders
}

export interface OperatorDoor {
  serves(path: string): boolean
  /** @throws the refusals of an admin call; ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED */
  serve(request: Request, response: Response, visit: Visit): Promise<void>
  /** An address that signs its first visitor in, once, and only from this machine; undefined without an admin. */
  link(): Promise<string | undefined>
}

interface Session {
  token: string
  admin: AdminCaller
}

/** The pages of operators: the only ones where a cookie counts (behaviour 1.7). */
export function operatorDoor(parts: OperatorParts): OperatorDoor {
  const cookie = sessionCookie(parts.publicBaseUrl)
  const isOwn = ownHost(parts.publicBaseUrl)
  const { protocol } = new URL(parts.publicBaseUrl)
  const site = (): Site => ({ publicBaseUrl: parts.publicBaseUrl, paths: parts.paths, clockOffsetMs: parts.clock.offsetMs() })

  const placeOf = (request: Request): Place => {
    const { host } = request.headers
    if (cookie === undefined || host === undefined || !isOwn(host))
      return refuse('FORBIDDEN', { header: 'host' }, { message: 'Operators sign in over https, or on this machine' })
    return { domain: host, uri: `${protocol}//${host}/operator` }
  }
  const sessionOf = async (request: Request): Promise<Session | undefined> => {
    const token = cookie?.read(request)
    const wallet = token && (await parts.store.walletOf(token))
    if (!token || !wallet) return undefined
    const admin = parts.admins.wallets.get(wallet.toLowerCase())
    if (admin?.kind === 'admin') return { token, admin }
    await parts.store.end(token)
    return undefined
  }
  const begin = async (response: Response, { wallet }: AdminCaller, headers: RawHeaders) => {
    redirect(response, '/operator', headers, cookie!.set(await parts.store.begin(wallet)))
  }

  /** A form of this page, sent by this page. @throws FORBIDDEN */
  const checkOrigin = (request: Request) => {
    const { origin } = request.headers
    const page = origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined
    const site = request.headers['sec-fetch-site']
    if (page?.protocol !== protocol || !isOwn(page.host) || page.host !== request.headers.host || (site !== undefined && site !== 'same-origin'))
      refuse('FORBIDDEN', { header: 'origin' }, { message: 'Only the pages of this gateway may send this' })
  }
  const formOf = async ({ body }: Visit) => new URLSearchParams(String((await body()) ?? ''))
  const checkCsrf = (form: URLSearchParams, { token }: Session) => {
    if (!sameSecret(form.get('csrf') ?? undefined, csrfTokenOf(token)))
      refuse('FORBIDDEN', { field: 'csrf' }, { message: 'The form is not of this session: load the page again' })
  }
  const needSession = async (request: Request): Promise<Session> =>
    (await sessionOf(request)) ?? refuse('AUTH_REQUIRED', undefined, { message: 'Sign in at /operator/sign-in' })

  const enter = async (request: Request, response: Response, { query, peer, headers }: Visit) => {
    placeOf(request)
    if (!peer.local || !isLoopback(hostName(request.headers.host))) refuse('ROUTE_NOT_FOUND')
    const admin = firstAdmin(parts.admins)
    const isRight = await parts.store.use('link', new URLSearchParams(query).get('token') ?? '')
    if (!admin || !isRight) refuse('AUTH_REQUIRED', undefined, { message: 'This link has been used or is over: npm start prints another one' })
    await begin(response, admin, headers)
  }
  const showSignIn = async (request: Request, response: Response, { query, headers }: Visit) => {
    const place = placeOf(request)
    const wallet = new URLSearchParams(query).get('address')?.trim()
    answerPage(response, signInPage(wallet ? { wallet, message: await messageFor(wallet, place, parts) } : undefined, site()), headers)
  }
  const signIn = async (request: Request, response: Response, visit: Visit) => {
    checkOrigin(request)
    const form = await formOf(visit)
    const message = (form.get('message') ?? '').replaceAll('\r\n', '\n')
    await begin(response, await signedIn(message, (form.get('signature') ?? '').trim(), placeOf(request), parts), visit.headers)
  }
  const signOut = async (request: Request, response: Response, visit: Visit) => {
    checkOrigin(request)
    const session = await needSession(request)
    checkCsrf(await formOf(visit), session)
    await parts.store.end(session.token)
    redirect(response, '/operator/sign-in', visit.headers, cookie!.clear())
  }
  const rulesOf = ({ token, admin }: Session) => ({ admin, csrf: csrfTokenOf(token), mustSign: parts.mustSign, newId: parts.newId })
  const show = async (request: Request, response: Response, { query, peer, headers }: Visit) => {
    const session = await sessionOf(request)
    if (!session) return redirect(response, '/operator/sign-in', headers)
    const operator = { admin: session.admin, ip: peer.ip }
    const page = operatorPage({
      site: site(),
      now: parts.clock.now(),
      ...rulesOf(session),
      ...(await facts(operator, firstOf(query), parts)),
    })
    answerPage(response, page, headers)
  }
  const examine = async (request: Request, response: Response, { headers }: Visit) => {
    if (!(await sessionOf(request))) return redirect(response, '/operator/sign-in', headers)
    answerPage(response, await doctorPage(parts.peers, site()), headers)
  }
  const carryOut = async (request: Request, response: Response, visit: Visit, name: string) => {
    const act = actOf(name)
    checkOrigin(request)
    const session = await needSession(request)
    const form = await formOf(visit)
    checkCsrf(form, session)
    const operator: Operator = { admin: session.admin, ip: visit.peer.ip, ...(await signatureOf(request, visit, session)) }
    const { path, body } = callOf(act, await withAgentIds(act, form, readsOf(operator, parts)))
    const called = carriedOut({ act, operator, path, body, key: keyOf(form), requestId: visit.requestId }, parts)
    const answer = isPerson(request) ? await called.catch(unansweredAct) : await called
    const wantsJson = request.headers.accept === 'application/json'
    if (wantsJson) return answerPage(response, JSON.stringify(answer.body), visit.headers, answer.status, 'application/json; charset=utf-8')
    const again = mayBeSentAgain(answer) ? repeatForm(name as ActName, form, rulesOf(session)) : undefined
    answerPage(response, outcomePage(act, answer, again, site()), visit.headers, answer.status)
  }
  /** @throws SIGNATURE_REQUIRED and those of the verifier */
  const signatureOf = async (request: Request, { body, peer }: Visit, { admin }: Session): Promise<{ signedBy?: string }> => {
    if (!parts.mustSign) return {}
    if (request.headers['signature-input'] === undefined)
      return refuse('SIGNATURE_REQUIRED', undefined, { message: 'Sign the act with your wallet: the page needs its script for that' })
    const contractChain = async () => chains[0]
    const { wallet } = await parts.verifySignature(request, body, { ip: peer.ip, wallet: admin.wallet, contractChain })
    return { signedBy: wallet }
  }

  const routes: Readonly<Record<string, (request: Request, response: Response, visit: Visit) => Promise<void> | void>> = {
    'GET /operator': show,
    'GET /operator/doctor': examine,
    'GET /operator/enter': enter,
    'GET /operator/sign-in': showSignIn,
    'POST /operator/sign-in': signIn,
    'POST /operator/sign-out': signOut,
  }

  return {
    serves: path => path === '/operator' || path.startsWith('/operator/'),
    serve: async (request, response, visit) => {
      const { path, peer } = visit
      await parts.rates.byUnrouted(peer.ip)
      const name = /^\/operator\/acts\/([a-z]+)$/.exec(path)?.[1]
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const route = name === undefined ? routes[`${method} ${path}`] : undefined
      const isKnown = name !== undefined || ['GET', 'POST'].some(other => Object.hasOwn(routes, `${other} ${path}`))
      if (!isKnown) refuse('ROUTE_NOT_FOUND')
      if (!route && !(name !== undefined && method === 'POST')) refuse('METHOD_NOT_ALLOWED', { allow: [method === 'POST' ? 'GET' : 'POST'] })
      parts.rates.checkAdmin(peer.ip)
      try {
        await (route ? route(request, response, visit) : carryOut(request, response, visit, name!))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.status === 401 || error.status === 403) await parts.rates.failedAdmin(peer.ip)
        if (!isPerson(request)) throw error
        answerPage(response, refusedPage(error.message, site()), visit.headers, error.status)
      }
    },
    link: async () => {
      if (!isLoopback(hostName(new URL(parts.publicBaseUrl).host)) || !firstAdmin(parts.admins)) return undefined
      return `${parts.publicBaseUrl}/operator/enter?token=${await parts.store.issue('link')}`
    },
  }
}

/** A person came by a link or a form; programs get the refusals of every other address. */
const isPerson = ({ headers }: Request): boolean => headers.accept?.includes('text/html') ?? false

/** Which dispute is shown first: what is no number is the first of all. */
const firstOf = (query: string): number => Number(/^\d{1,6}$/.exec(new URLSearchParams(query).get('from') ?? '')?.[0] ?? 0)

const firstAdmin = ({ wallets }: AdminRules): AdminCaller | undefined => [...wallets.values()].find(({ kind }) => kind === 'admin')

function redirect(response: Response, to: string, headers: RawHeaders, setCookie?: string): void {
  response.writeHead(303, [...headers, 'location', to, 'cache-control', 'no-store', ...(setCookie ? ['set-cookie', setCookie] : [])])
  response.end()
}
