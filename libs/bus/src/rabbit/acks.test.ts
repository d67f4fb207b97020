import assert from 'node:assert/strict'
import type { ConsumeMessage } from 'amqplib'
import { gatheredAcks } from './acks.ts'

const messageOf = (deliveryTag: number) => ({ fields: { deliveryTag } }) as ConsumeMessage

describe('gathered acknowledgements', () => {
  /** Tags 1 to `count` are handed out, then handled in groups. @returns what was sent to the broker after each group */
  async function sent(count: number, groups: readonly (readonly number[])[]): Promise<string[][]> {
    let answers: string[] = []
    const acks = gatheredAcks(({ fields }, allUpTo) => void answers.push(`${allUpTo ? 'up to ' : ''}${fields.deliveryTag}`))
    for (let tag = 1; tag <= count; tag++) acks.received(messageOf(tag))
    const found: string[][] = []
    for (const group of groups) {
      answers = []
      await Promise.all(group.map(tag => acks.handled(messageOf(tag))))
      found.push(answers)
    }
    return found
  }

  it('cover by one answer what was handled in one moment, in any order', async () => {
    assert.deepEqual(await sent(5, [[3, 1, 2], [4], [5]]), [['up to 3'], ['up to 4'], ['up to 5']])
  })

  it('never cover a message that is still being handled', async () => {
    assert.deepEqual(await sent(6, [[2, 3], [1, 6], [5], [4]]), [['2', '3'], ['6', 'up to 1'], ['5'], ['up to 4']])
  })

  it('cover what is handled in any order once and whole', async () => {
    const tags = Array.from({ length: 64 }, (_, n) => n + 1)
    const shuffled = tags.toSorted((a, b) => ((a * 37) % 64) - ((b * 37) % 64))
    const groups = [shuffled.slice(0, 20), shuffled.slice(20, 21), shuffled.slice(21)]

    const answers = (await sent(64, groups)).flat()

    const covered = new Set<number>()
    for (const answer of answers) {
      const tag = Number(answer.replace('up to ', ''))
      for (const one of answer.startsWith('up to') ? tags.filter(other => other <= tag) : [tag]) covered.add(one)
    }
    assert.deepEqual(
      [...covered].sort((a, b) => a - b),
      tags,
    )
    assert.equal(new Set(answers).size, answers.length)
  })
})
