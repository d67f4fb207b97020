import { newClient, persist } from './persist.ts'
import type { Stage } from './pieces.ts'

/** One agent follows another and comments on it: both are there once, however often the requests were sent. */
export async function followAndComment({ system, participants: { bonder, payee }, deadline }: Stage): Promise<void> {
  const client = newClient(system)
  const path = `/api/agents/${payee.id}`
  const follows = async () => (await system.get(`${path}/followers`)).followers as { followerAgentId: string }[]
  const comments = async () => (await system.get(`${path}/comments`)).comments as { authorId: string }[]
  await persist(
    'the follow is there',
    deadline,
    async () => (await follows()).some(({ followerAgentId }) => followerAgentId === bonder.id),
    () => client.once('follow', 'POST', `${path}/follow`, {}, bonder.headers),
  )
  await persist('the comment is written', deadline, () => client.once('comment', 'POST', `${path}/comment`, { content: 'On time.' }, bonder.headers))
  const found = [(await persist('follows are listed', deadline, follows)).length, (await persist('comments are listed', deadline, comments)).length]
  if (found.join() !== '1,1') throw new Error(`${payee.id} has ${found[0]} follows and ${found[1]} comments of one agent`)
}
