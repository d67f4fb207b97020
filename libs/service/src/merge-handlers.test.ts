import assert from 'node:assert/strict'
import { mergeHandlers } from './merge-handlers.ts'

const reads = ({ shelf }: { shelf: string }) => ({ getBook: () => `${shelf} book` })
const writes = ({ pen }: { pen: string }) => ({ addBook: () => `${pen} book` })

describe('mergeHandlers', () => {
  it('gives every group its parts and has the handlers of all', () => {
    const { getBook, addBook } = mergeHandlers(reads, writes)({ shelf: 'top', pen: 'red' })

    assert.deepEqual([getBook(), addBook()], ['top book', 'red book'])
  })

  it('refuses two handlers of one name', () => {
    assert.throws(() => mergeHandlers(reads, reads)({ shelf: 'top' }), /two handlers are named getBook/)
  })

  it('does not compile without the parts of a group', () => {
    // @ts-expect-error writes needs a pen
    assert.ok(mergeHandlers(reads, writes)({ shelf: 'top' }))
  })
})
