import assert from 'node:assert/strict'
import { layersOf, ownLayers } from './layers.ts'

describe('the layers of an image', () => {
  const base = layersOf('0\t/bin/sh -c #(nop) CMD ["node"]\n120000000\tADD node\n75000000\tADD debian')

  it('that are its own are those above its base that have files', () => {
    const image = layersOf(
      '0\tCMD ["node",   "main.js"]\n2048\tCOPY state\n78000000\tCOPY app\tmore\n0\tCMD ["node"]\n120000000\tADD node\n75000000\tADD debian\n',
    )

    assert.deepEqual(ownLayers(image, base), [
      { bytes: 2048, by: 'COPY state' },
      { bytes: 78_000_000, by: 'COPY app more' },
    ])
  })

  it('are none of an image that has another base', () => {
    assert.throws(() => ownLayers(layersOf('1\tCOPY app\n5\tADD alpine'), base), /not made from this base/)
    assert.throws(() => ownLayers(layersOf('1\tCOPY app\n0\tCMD\n119\tADD node\n75\tADD debian'), base), /not made from this base/)
  })
})
