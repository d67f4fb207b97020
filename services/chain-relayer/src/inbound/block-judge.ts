import { contradicted, contradiction, proven } from '../chain/consistency.ts'
import type { Header, Receipt } from '../chain/reader.ts'
import type { Lane } from '../lane/lane.ts'

/**
 * The reason against a block with these receipts; undefined when it may be followed. On a network whose profile allows it, a block is followed
 * although its header does not fit, once the node has shown it in the same way repeatedly: a consistent node defines that network. The fields
 * that it fills in another way are not checked until one of them proves right.
 */
export type JudgeBlock = (header: Header, receipts: readonly Receipt[]) => string | undefined

export function blockJudge(lane: Lane): JudgeBlock {
  let shown = ''
  let answers = 0
  let lastAt = Number.NEGATIVE_INFINITY
  return (header, receipts) => {
    const wrong = contradiction(header, receipts, lane.unchecked)
    if (wrong === undefined) {
      for (const field of lane.unchecked.size > 0 ? proven(header, receipts) : []) lane.unchecked.delete(field)
      return undefined
    }
    const now = performance.now()
    const shows = JSON.stringify([header.hash, header.gasUsed, header.logsBloom, receipts])
    if (shows !== shown) answers = 0
    else if (now - lastAt < lane.timings.equalAnswersMs) return wrong
    shown = shows
    lastAt = now
    if (++answers < lane.network.equalAnswers || receipts.some(receipt => receipt.blockHash !== header.hash)) return wrong
    for (const field of contradicted(header, receipts)) lane.unchecked.add(field)
    const fields = [...lane.unchecked].join()
    lane.log.warn({ lane: lane.id, block: header.number, fields }, 'a block is followed although its header does not fit: the node repeats it')
    shown = ''
    return undefined
  }
}
