import assert from 'node:assert/strict'
import { decode, encode } from '../bson/raw.ts'
import { copyDoc, type Doc, fieldNames, setOwn } from './values.ts'

/** The document, and how often its fields have been listed. */
function counted(): { doc: Doc; lists: () => number } {
  let lists = 0
  const ownKeys = (target: Doc) => {
    lists += 1
    return Reflect.ownKeys(target)
  }
  return { doc: new Proxy<Doc>({}, { ownKeys }), lists: () => lists }
}

describe('the order of fields', () => {
  it('with names that are whole numbers costs one list of the fields, not one for each field', () => {
    const { doc, lists } = counted()
    const names = Array.from({ length: 1_000 }, (_, i) => String(1_000 - i))
    for (const name of ['b', ...names, 'a']) setOwn(doc, name, 1)

    assert.equal(lists(), 1)
    assert.deepEqual(fieldNames(doc), ['b', ...names, 'a'])
  })

  it('of a copy, whichever way it was made, is its own', () => {
    const doc: Doc = {}
    for (const name of ['b', '2', '1']) setOwn(doc, name, 1)
    for (const copy of [copyDoc(doc), { ...doc }]) {
      setOwn(copy, '0', 1)
      assert.deepEqual(fieldNames(copy), ['b', '2', '1', '0'])
      assert.deepEqual(fieldNames(doc), ['b', '2', '1'])
    }
  })

  it('has a field that was deleted and comes again as the last', () => {
    const doc: Doc = {}
    for (const name of ['b', '2', '1']) setOwn(doc, name, 1)
    delete doc['2']
    setOwn(doc, '2', 1)
    assert.deepEqual(fieldNames(doc), ['b', '1', '2'])
  })

  it('names a field once that a document has twice', () => {
    const fields = ['b', '2', 'b'].map(name => encode({ [name]: 1 }).subarray(4, -1))
    const raw = Buffer.concat([Buffer.alloc(4), ...fields, Buffer.alloc(1)])
    raw.writeInt32LE(raw.length)
    assert.deepEqual(fieldNames(decode(raw)), ['b', '2'])
  })
})
