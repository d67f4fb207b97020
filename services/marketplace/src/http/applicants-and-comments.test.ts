import assert from 'node:assert/strict'
import { marketplaceApi, usd } from '@carapace/api'
import { apply, assignedGig, done, type gigAs, postGig } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness, stranger } from '../testing/harness.ts'

describe('what pages read of the marketplace by one call', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const get = async (path: string) => (await harness.call('GET', path)).body
  const peers = () => harness.platform.service('marketplace').platform.peers
  const read = (id: string) =>
    peers().call('marketplace', marketplaceApi.internal.listApplicantsAndComments, { params: { id }, query: { applicants: '2', comments: '2' } })
  const gigsOf = async (id: string) =>
    (await peers().call('marketplace', marketplaceApi.internal.listAgentGigRows, { params: { id }, query: { limit: '2' } })).gigs

  it('are applicants and comments as anybody may read them: nothing internal, nothing deleted', async () => {
    const { gigId, poster, worker } = await assignedGig(harness)
    const comment = (content: string, isInternal = false) => done(harness, worker, 'POST', `/api/gigs/${gigId}/comments`, { content, isInternal })
    const { id: deletedId } = await comment('A mistake')
    await done(harness, worker, 'DELETE', `/api/gigs/${gigId}/comments/${deletedId}`)
    await comment('Until when?')
    await done(harness, poster, 'POST', `/api/gigs/${gigId}/comments`, { content: 'Until Friday.' })
    await comment('For the two of us', true)

    const { applicants, comments } = await read(gigId)

    const shown = (await get(`/api/gigs/${gigId}/applicants?limit=2`)).applicants as { newcomerLane: boolean }[]
    assert.deepEqual(
      applicants,
      shown.map(({ newcomerLane: _, ...applicant }) => applicant),
    )
    assert.deepEqual(comments, await get(`/api/gigs/${gigId}/comments?limit=2`))
    assert.deepEqual(
      comments.map(({ content }) => content),
      ['Until Friday.', 'Until when?'],
    )
    assert.deepEqual(
      [comments[1]?.agent.handle, applicants[0]?.agent.handle, applicants[0]?.agent.skills],
      [worker.handle, worker.handle, ['solidity']],
    )
  })

  it('are the newest gigs of an agent in either role', async () => {
    const { gigId, worker } = await assignedGig(harness)
    const { id: posted } = await postGig(harness, worker)
    const other = await postGig(harness, newAgent(harness))
    await apply(harness, worker, other.id)

    const rows = await gigsOf(worker.id)

    const shown = (await get(`/api/agents/${worker.id}/gigs?limit=2`)).gigs
    assert.deepEqual(
      rows.map(({ gigId: id, gigTitle: title, posterId, status, budget, createdAt }) => [
        id,
        title,
        posterId,
        status,
        usd(BigInt(budget)),
        createdAt,
      ]),
      shown.map((gig: Awaited<ReturnType<typeof gigAs>>) => [gig.id, gig.title, gig.posterId, gig.status, gig.budget, gig.createdAt]),
    )
    assert.deepEqual(
      rows.map(row => row.gigId),
      [posted, gigId],
    )
  })

  it('are nothing where there is no such gig or agent', async () => {
    assert.deepEqual(await read(stranger), { applicants: [], comments: [] })
    assert.deepEqual(await gigsOf(stranger), [])
  })
})
