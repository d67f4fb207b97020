import type { ConfirmChannel } from 'amqplib'
import type { Connection } from './connection.ts'

/** Counts the messages that wait in a queue, by a channel of its own: a refusal closes that one, and the next question opens another. */
export function queueDepth(connection: Connection): (queue: string) => Promise<number> {
  let channel: Promise<ConfirmChannel> | undefined
  const open = async (): Promise<ConfirmChannel> => {
    const opened = await connection.openChannel()
    opened.once('close', () => {
      channel = undefined
    })
    return opened
  }
  return async queue => {
    channel ??= open().catch((error: unknown) => {
      channel = undefined
      throw error
    })
    return (await (await channel).checkQueue(queue)).messageCount
  }
}
