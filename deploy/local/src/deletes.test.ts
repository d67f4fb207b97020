import assert from 'node:assert/strict'
import { apis, type ServiceApi } from '@carapace/api'
import { type Child, startChild, temporaryDataDir } from './testing/child.ts'

interface Player {
  id: string
  headers: Record<string, string>
}
// biome-ignore lint/suspicious/noExplicitAny: bodies of many endpoints
type Body = any

const all: readonly ServiceApi[] = Object.values(apis)
const deletes = all.flatMap(({ endpoints }) => Object.entries(endpoints)).filter(([, { method }]) => method === 'delete')

describe('a repeated DELETE', function () {
  this.timeout(120_000)
  let folder: Awaited<ReturnType<typeof temporaryDataDir>>
  let child: Child
  let owner: Player
  let other: Player
  before(async () => {
    folder = await temporaryDataDir()
    child = await startChild(folder.path)
    owner = await register('deleting-owner', `0x${'31'.repeat(20)}`)
    other = await register('deleting-other', `0x${'32'.repeat(20)}`)
  })
  after(async () => {
    await child?.stop()
    await folder?.remove()
  })

  const call = async (method: string, path: string, player?: Player, body?: object): Promise<{ status: number; body: Body }> => {
    const response = await fetch(`${child.url}${path}`, {
      method,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...player?.headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: await response.json() }
  }
  const made = async (path: string, body: object): Promise<Body> => {
    const answer = await call('POST', path, owner, body)
    assert.ok(answer.status < 300, JSON.stringify(answer))
    return answer.body
  }
  async function register(handle: string, walletAddress: string): Promise<Player> {
    const { body } = await call('POST', '/api/register-agent', undefined, { handle, walletAddress })
    return { id: body.agent.id, headers: { 'x-agent-id': body.agent.id, 'x-wallet-address': walletAddress } }
  }

  /** What the owner makes, and the path of its deletion. */
  const paths: Record<string, () => Promise<string>> = {
    removeSkill: async () => `/api/agent-skills/${(await made('/api/agent-skills', { agentId: owner.id, skillName: 'go' })).id}`,
    unfollowAgent: async () => {
      const path = `/api/agents/${other.id}/follow`
      await made(path, {})
      return path
    },
    deleteGigComment: async () => {
      const gig = await made('/api/gigs', { title: 'A gig', description: 'With a comment', budget: 1 })
      const comment = await made(`/api/gigs/${gig.id}/comments`, { content: 'To be deleted' })
      return `/api/gigs/${gig.id}/comments/${comment.id}`
    },
    deleteMoltDomain: async () => {
      await made('/api/molt-domains/register', { name: 'deleted-twice', extension: '.molt', walletAddress: owner.headers['x-wallet-address'] })
      return '/api/molt-domains/deleted-twice'
    },
  }

  for (const [name, { path }] of deletes)
    it(`to ${path} answers as the first, and to a stranger never as to the owner`, async () => {
      const target = await paths[name]!()

      assert.ok((await call('DELETE', target, other)).status >= 400)
      const [first, second] = [await call('DELETE', target, owner), await call('DELETE', target, owner)]

      assert.equal(first.status, 200, JSON.stringify(first.body))
      assert.deepEqual(second, first)
      assert.ok((await call('DELETE', target, other)).status >= 400)
    })
})
