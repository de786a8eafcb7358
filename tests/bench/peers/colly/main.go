// Crawls with colly as its documentation shows: a queue in memory, robots.txt obeyed, every link followed.
//
//	colly PROXY SEEDS_FILE FETCHES_AT_ONCE
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"
)

func run(proxy, seedsFile string, atOnce int) error {
	seeds, err := os.Open(seedsFile)
	if err != nil {
		return err
	}
	defer seeds.Close()
	requests, err := queue.New(atOnce, &queue.InMemoryQueueStorage{MaxSize: 50_000_000})
	if err != nil {
		return err
	}
	collector := colly.NewCollector(colly.UserAgent("bench"))
	collector.IgnoreRobotsTxt = false
	if err := collector.SetProxy(proxy); err != nil {
		return err
	}
	collector.OnHTML("a[href]", func(link *colly.HTMLElement) {
		_ = requests.AddURL(link.Request.AbsoluteURL(link.Attr("href")))
	})
	for lines := bufio.NewScanner(seeds); lines.Scan(); {
		if err := requests.AddURL(lines.Text()); err != nil {
			return err
		}
	}
	return requests.Run(collector)
}

func main() {
	atOnce, err := strconv.Atoi(os.Args[3])
	if err == nil {
		err = run(os.Args[1], os.Args[2], atOnce)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "colly:", err)
		os.Exit(1)
	}
}
