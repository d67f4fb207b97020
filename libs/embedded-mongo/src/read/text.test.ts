import assert from 'node:assert/strict'
import type { Collection, Document } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'
import { stem } from './text-stem.ts'

describe('text search', () => {
  let test: TestServer
  let books: Collection<Document>
  before(async () => {
    test = await startTestServer()
    books = test.db().collection('books')
    await books.createIndex({ title: 'text', 'notes.text': 'text' }, { weights: { title: 3 } })
    await books.insertMany([
      { _id: 1 as never, title: 'Running in the rain', notes: [{ text: 'A story of runners' }] },
      { _id: 2 as never, title: 'Café society', notes: [{ text: 'coffee and running water' }] },
      { _id: 3 as never, title: 'Rain', notes: [] },
    ])
  })
  after(() => test.stop())

  const ids = async ($search: string, filter: Document = {}) =>
    (
      await books
        .find({ $text: { $search }, ...filter })
        .sort({ score: { $meta: 'textScore' } })
        .toArray()
    ).map(({ _id }) => _id)

  it('reduces words to their stems', () => {
    const words = {
      running: 'run',
      runs: 'run',
      hopping: 'hop',
      hoped: 'hope',
      relational: 'relat',
      happiness: 'happi',
      agreed: 'agre',
      skies: 'ski',
      controll: 'control',
    }
    for (const [word, expected] of Object.entries(words)) assert.equal(stem(word), expected, word)
  })

  it('finds words in any of their forms, capitals and accents, the best match first', async () => {
    assert.deepEqual(await ids('run'), [1, 2])
    assert.deepEqual(await ids('RAINS'), [3, 1])
    assert.deepEqual(await ids('cafe'), [2])
    assert.deepEqual(await ids('the of and'), [])
  })

  it('matches phrases, excludes negated terms, and combines with other conditions', async () => {
    assert.deepEqual(await ids('rain -running'), [3])
    assert.deepEqual(await ids('"running water"'), [2])
    assert.deepEqual(await ids('rain', { _id: { $gt: 1 } }), [3])
    assert.equal(await books.countDocuments({ _id: { $gt: 1 } as never, $text: { $search: 'rain' } }), 1)
  })

  it('reports the score', async () => {
    const [book] = await books.find({ $text: { $search: 'cafe' } }, { projection: { _id: 1, score: { $meta: 'textScore' } } }).toArray()

    assert.deepEqual(book, { _id: 2, score: 3 * 0.75 })
    const [whole] = await books
      .find({ $text: { $search: 'rain' } }, { projection: { score: { $meta: 'textScore' } } })
      .sort({ score: { $meta: 'textScore' } })
      .toArray()
    assert.equal(whole!.title, 'Rain')
    assert.ok(Math.abs(whole!.score - 3.3) < 1e-9)
  })

  it('is refused without an index, out of place, in other languages', async () => {
    const plain = test.db().collection('plain')
    await plain.insertOne({})
    assert.equal((await refusalOf(plain.findOne({ $text: { $search: 'x' } }))).code, 27)
    assert.equal((await refusalOf(books.findOne({ $or: [{ $text: { $search: 'x' } }] }))).code, 2)
    assert.equal((await refusalOf(books.findOne({ $text: { $search: 'x', $language: 'german' } }))).code, 115)
    assert.equal((await refusalOf(books.findOne({}, { projection: { score: { $meta: 'textScore' } } }))).code, 40218)
  })
})
