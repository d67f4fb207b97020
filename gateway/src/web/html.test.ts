import assert from 'node:assert/strict'
import { relative } from './format.ts'
import { type Html, html } from './html.ts'

describe('a piece of a page', () => {
  it('escapes what is put in, in text and attributes', () => {
    const text = `<img src=x onerror='a'> & "b"`

    assert.equal(html`<p title="${text}">${text}</p>`.toString().includes('<img'), false)
    assert.equal(html`<p>${'\u0007&'}</p>`.toString(), '<p>&amp;</p>')
  })

  it('puts pieces and lists of pieces in as they are, and nothing for what is absent', () => {
    const items = ['a', '<b>'].map(item => html`<li>${item}</li>`)

    assert.equal(html`<ul>${items}${undefined}${false}${null}${0}</ul>`.toString(), '<ul><li>a</li><li>&lt;b&gt;</li>0</ul>')
  })

  it('is nothing that data can pretend to be', () => {
    const forged = { html: '<b>', toString: () => '<b>' } as unknown as Html

    assert.equal(html`${forged}`.toString(), '&lt;b&gt;')
  })
})

describe('a moment', () => {
  it('has the largest unit that fits', () => {
    const now = new Date('2026-11-21T12:00:00.000Z')
    const saying = (seconds: number) => relative(new Date(now.getTime() + seconds * 1000).toISOString(), now)

    assert.deepEqual([-5, -60, -7_300, -90_000, 30, 7_200].map(saying), [
      'just now',
      '1 minute ago',
      '2 hours ago',
      '1 day ago',
      'in less than a minute',
      'in 2 hours',
    ])
  })
})
