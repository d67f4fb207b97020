import { social } from '@carapace/social'
import { newTestAgent, startPlatform, type TestMongo, until } from '@carapace/testing'
import { MongoClient } from 'mongodb'
import { compareAll, type Timing } from './compare-reads.ts'
import { calm, ownEngine, type Side, startSide } from './side.ts'

const agents = 1_000
const few = 1_000
const many = 100_000
/** With so many others each agent writes; the pages of both are full. */
const peers = { few: 40, many: agents - 1 }
const fullConversation = 51
const batch = 5_000

interface Document {
  _id: string
  [field: string]: unknown
}

/** What the reads of one agent's messages cost among few messages and among many, between 1,000 agents. */
export async function timeConversations(): Promise<Timing[]> {
  const engine = await ownEngine()
  const sides: Side[] = []
  try {
    const { agent } = newTestAgent()
    const other = agentAt(1)
    for (const [messages, others] of [[few, peers.few] as const, [many, peers.many] as const]) {
      const part = { uri: engine.uri, prefix: `${messages}_`, close: async () => undefined }
      await writeMessages(part, agent, { messages, others })
      sides.push(await startSide(engine, part.prefix))
    }
    const paths = ['', '?limit=20&offset=20', `/${other}`, `/${other}?limit=1`].map(rest => `/api/agents/${agent.id}/messages${rest}`)
    for (const side of sides) await calm(side)
    return await compareAll(
      sides as [Side, Side],
      paths.map(path => ({ path, headers: agent.headers })),
    )
  } finally {
    for (const side of sides) await side.close()
    await engine.close()
  }
}

const agentAt = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

/** One message is sent; all others are copies of its documents: so they are what the service writes, and the bench does not last for minutes. */
async function writeMessages(
  mongo: TestMongo,
  agent: { id: string; wallet: string; headers: Record<string, string> },
  { messages, others }: { messages: number; others: number },
): Promise<void> {
  const { uri, prefix } = mongo
  const platform = await startPlatform([social], { mongo, env: { CHECK_ANSWERS: 'no' } })
  const client = await MongoClient.connect(uri, { useBigInt64: true })
  try {
    const db = client.db(`${prefix}carapace_social`)
    const peer = newTestAgent()
    await platform.publish(peer.registered)
    await until('the agent is known', () => db.collection<Document>('agents').findOne({ _id: peer.agent.id }))
    const sent = await platform.call('POST', `/api/agents/${agent.id}/messages/${peer.agent.id}`, {
      body: { content: 'Hello' },
      headers: agent.headers,
    })
    if (sent.status !== 201) throw new Error(JSON.stringify(sent.body))
    const removeOne = async (name: string) => (await db.collection<Document>(name).findOneAndDelete({ outbox: { $in: [[], null] } }))!
    await until('the event is sent', async () => (await db.collection('messages').countDocuments({ pending: true })) === 0)
    const [conversation, message] = [await removeOne('conversations'), await removeOne('messages')]
    const row = (await db.collection<Document>('agents').findOne({ _id: peer.agent.id }))!
    const insert = async (name: string, documents: Document[]) => {
      for (let at = 0; at < documents.length; at += batch) await db.collection<Document>(name).insertMany(documents.slice(at, at + batch))
    }
    // the measured agent writes with `others`, the rest is between agents that are next to each other
    const own = Array.from({ length: others }, (_, n): [string, string] => [agent.id, agentAt(n + 1)])
    const rest = Array.from({ length: agents - 2 }, (_, n): [string, string] => [agentAt(n + 1), agentAt(n + 2)])
    const pairs = [...own, ...rest].slice(0, Math.min(messages, own.length + rest.length))
    // the conversation that is read has a full page among few, too
    const messagesIn = (n: number): number => (n === 0 ? fullConversation : Math.ceil(messages / pairs.length))
    const at = Date.now()
    const conversationOf = ([one, two]: [string, string], n: number): Document => {
      const agentIds = [one, two].sort()
      return { ...conversation, _id: agentIds.join('/'), agentIds, messageCount: messagesIn(n), lastMessageAt: new Date(at - n * 1_000) }
    }
    await insert(
      'agents',
      Array.from({ length: agents }, (_, n) => ({ ...row, _id: agentAt(n + 1), handle: `agent-${n + 1}` })),
    )
    await insert('conversations', pairs.map(conversationOf))
    const messagesOf = (pair: [string, string], n: number): Document[] =>
      Array.from({ length: messagesIn(n) }, (_, m) => ({
        ...message,
        ...{ _id: `${n}-${m}`, conversationId: conversationOf(pair, n)._id, number: m + 1, fromAgentId: pair[0], toAgentId: pair[1], status: 'READ' },
      }))
    for (let from = 0; from < pairs.length; from += 100)
      await insert(
        'messages',
        pairs.slice(from, from + 100).flatMap((pair, n) => messagesOf(pair, from + n)),
      )
    await db.collection<Document>('figures').updateOne({ _id: agent.id }, { $set: { conversations: others } })
    // the gateway of the bench has missed the registration
    const gatewayRow = { _id: agent.id, wallet: agent.wallet, walletKey: agent.wallet.toLowerCase(), status: 'active', requireSignature: false }
    await client
      .db(`${prefix}carapace_gateway`)
      .collection<Document>('agents')
      .insertOne({ ...gatewayRow, rev: 1, writers: {} })
  } finally {
    await platform.close()
    await client.close()
  }
}
