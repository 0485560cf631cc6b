// Package html reads what a crawler needs from an HTML document: links, base,
// title, robots rules, canonical, refresh and the declared charset.
//
// It is a scanner, not a parser: one pass over the bytes, no tree, no
// allocation per token. It agrees with the tokenizer of the HTML standard
// (WHATWG, section 13.2.5) on comments, bogus comments, CDATA, raw text and
// script data, attributes, and character references in attribute values; of
// tree construction it keeps just enough to say where the head ends, whether
// an element stands in SVG or MathML, in a noscript or in a template.
//
// What it decides:
//   - a, area, iframe and frame give links; link gives canonical, alternate
//     (hreflang, feed, other HTML version) and pagination; style sheets,
//     scripts, images and forms give none (D1).
//   - noscript is read as content, because the raw document is read without
//     scripts: its links count. Its meta, base and canonical elements do not,
//     because a browser that renders the page never sees them (case 30).
//   - Contents of template are inert and give nothing, unless the template is
//     a declarative shadow root, whose contents are shown.
//   - Canonical links count in the head only, and the head ends where the
//     standard's parser would end it: at the first text or element that does
//     not belong there. House choice: elements in a noscript do not end it.
//   - Runs of text and addresses of media, if they are asked for, are hashed so
//     that pages which differ in numbers and dates only are the same (D3).
//   - Robots rules and refresh count wherever they stand (case 30).
//
// What it does not decide: it resolves no URL, removes no duplicates, and
// judges no rule. Package content does.
//
// Invariants: time is linear in the document's length and memory is bounded by
// [Limits], whatever the bytes are; the input is never written to; an element
// that the document's end cuts off is dropped, as the standard has it.
//
// Input is UTF-8 or an encoding that agrees with ASCII in its first 128 codes;
// package charset converts others before.
//
// Sources: WHATWG HTML sections 13.2.5 (tokenization), 13.2.6 (tree
// construction), 4.2.5.3 (refresh); behaviours D1, F12, B6; cases 15, 16, 30, 31.
package html
