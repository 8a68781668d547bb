"""A lesson that asks in every way, written here, and what breaks it."""

HEAD = """---
title: Four ways to ask
goal: Try every question once.
minutes: 5
runs: token, mini
claim: pocket.after > pocket.guess
---
"""
STEPS = """
## A choice

The **encoder** reads <b>words</b> & </script><img src=x onerror=alert(1)>. It was {token.cosine.after} right.

**Which one?**

- [ ] the first </script>
- [x] the *second*

```bars
run: token
values: cosine.before, cosine.after, tfidf
when: after
```

> Because of {token.cosine.difference} ([link](http://example.org)), page Evaluate.

## A number

**How many of 100?**

```number
low: 0
high: 100
truth: pocket.before
close: 5
```

```pocket
when: after
train: at once
```

> About {pocket.before}.

## A curve

**Draw it.**

```draw
x: layer 0 to 4
y: kNN accuracy 0 to 100 %
truth: mini.mean.before
```

```lines
run: mini
values: mean.before
x: layer
when: after
```

> {mini.mean.before}, section 5.

## Four maps

One shows texts.

```four
run: token
experiment: noise
ask: your texts
```

> {token.lab.noise.1.kept} against {token.lab.noise.2.kept}.

## Votes and pairs

Nothing is asked here.

```vote
of: after
typed: yes
```
"""
LESSON = HEAD + STEPS


def with_step(body: str) -> str:
    """A lesson whose first step is this body."""
    return HEAD + f"\n## First\n\n{body}\n\n## Second\n\nText.\n\n## Third\n\nText.\n"
